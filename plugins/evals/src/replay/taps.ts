import {
  err,
  failure,
  NO_USAGE,
  ok,
  type Failure,
  type HookTaps,
  type LanguageModel,
  type ModelCall,
  type Result,
  type RunContext,
} from '@amodal/sdk'
import { refuseEnded } from '../trial/enactments.ts'
import type { Replay, Replays } from './replay.ts'
import { recordedModel } from './recorded-model.ts'

const ENDED = 'the replay that this session belongs to has ended'

/** Has models and tools of replays answer from the recording; nothing of them reaches outside. */
export function tapReplays(hooks: HookTaps, replays: Replays): void {
  refuseEnded(hooks, replays, ENDED)
  hooks.tools.list.tap(
    (list, run) => {
      const found = replays.of(run)
      return found && (found.enactment?.tools(list) ?? { tools: [], aliases: {} })
    },
    { stage: 'last' },
  )
  hooks.model.route.tap(
    (call, run) => {
      const config = call.aside === true ? undefined : replays.of(run)?.enactment?.modelOf(run)
      return config && { action: 'use', config }
    },
    { stage: 'first' },
  )
  hooks.model.open.tap(
    (source, call, run) => {
      const found = replays.of(run)
      return found ? { open: () => answerOf(found.enactment, call, run) } : source
    },
    { stage: 'last' },
  )
  // Neither a retry nor another model has what the recording lacks.
  hooks.model.failed.tap(
    ({ message }, _call, _attempt, run) => replays.of(run) && { action: 'stop', reason: message },
    { stage: 'first' },
  )
}

function answerOf(
  replay: Replay | undefined,
  call: ModelCall,
  run: RunContext,
): Result<LanguageModel, Failure> {
  const playback = replay?.playbackOf(run)
  if (call.aside === true) {
    const aside = playback?.nextAside()
    if (aside) {
      const { model = call.config, usage = NO_USAGE } = aside.spent ?? {}
      return ok(recordedModel({ model, text: aside.text, calls: [], usage, finish: 'stop' }))
    }
  }
  const reply = call.aside === true ? undefined : playback?.nextReply()
  if (reply) return ok(recordedModel(reply))
  const message = replay ? 'the recording has no further answer of the model' : ENDED
  replay?.problems.push(message)
  return err(failure('MODEL_FAILED', message))
}
