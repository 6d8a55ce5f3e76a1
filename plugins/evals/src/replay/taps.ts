import {
  err,
  failure,
  never,
  NO_USAGE,
  ok,
  type Answer,
  type Failure,
  type HookTaps,
  type LanguageModel,
  type ModelCall,
  type Question,
  type Result,
  type RunContext,
} from '@amodal/sdk'
import { refuseEnded } from '../trial/enactments.ts'
import type { Replay, Replays } from './replay.ts'
import { recordedModel } from './recorded-model.ts'

const ENDED = 'the replay that this session belongs to has ended'

const UNANSWERED = 'the recording ends with a question that nobody has answered'

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
      const replay = replays.of(run)?.enactment
      if (!replay || call.aside === true) return undefined
      const other = call.tier === 'main' ? replay.overlay?.model : undefined
      replay.course?.onRequest(
        run,
        other ? { ...call, config: other } : call,
        replay.playbackOf(run),
      )
      const config = isLive(replay, run) ? other : replay.modelOf(run)
      return config && { action: 'use', config }
    },
    { stage: 'first' },
  )
  hooks.model.open.tap(
    (source, call, run) => {
      const found = replays.of(run)
      if (!found) return source
      const { enactment: replay } = found
      if (!replay || !isLive(replay, run)) return { open: () => answerOf(replay, call, run) }
      const stopped = replay.course?.stopped
      return stopped === undefined ? source : { open: () => err(failure('MODEL_FAILED', stopped)) }
    },
    { stage: 'last' },
  )
  // Neither a retry nor another model has what the recording lacks.
  hooks.model.failed.tap(
    ({ message }, _call, _attempt, run) => {
      const found = replays.of(run)
      const isOver = found?.enactment?.course?.stopped !== undefined
      if (!found || (found.enactment && isLive(found.enactment, run) && !isOver)) return undefined
      return { action: 'stop', reason: message }
    },
    { stage: 'first' },
  )
  // First: a question of a replay is put to nobody, and no notice of it is sent.
  hooks.confirm.ask.tap(
    (question, run) => {
      const found = replays.of(run)
      if (!found) return undefined
      const { enactment: replay } = found
      if (!replay) return { answer: { approved: false } }
      return !isLive(replay, run) ? recordedAnswer(replay, question, run) : declined(question)
    },
    { stage: 'first' },
  )
}

const isLive = ({ course }: Replay, { session }: RunContext): boolean =>
  course?.isLive(session) === true

/** What a person answered then; a question that nobody has answered ends the replay. */
function recordedAnswer(replay: Replay, question: Question, run: RunContext): Answer {
  const recorded = replay.playback(run)?.nextAnswer(question.type, question.call)
  if (recorded) return { answer: recorded.answer }
  replay.unanswered.add(question.id)
  return { answer: { approved: false } }
}

/** Nobody is there: a call that is approved has a recorded result, or is refused as it is made. */
function declined({ type }: Question): Answer {
  switch (type) {
    case 'approval':
      return { answer: { approved: true } }
    case 'continue_or_finish':
      return { answer: { action: 'finish' } }
    case 'question':
      return { answer: { response: 'This is a replay: nobody is there to answer.' } }
    default:
      return never(type)
  }
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
  if (replay && replay.unanswered.size > 0) return err(failure('MODEL_FAILED', UNANSWERED))
  const message = replay ? 'the recording has no further answer of the model' : ENDED
  replay?.problems.push(message)
  return err(failure('MODEL_FAILED', message))
}
