import {
  type AgentState,
  askId,
  chooseModel,
  Compactor,
  failure,
  type JsonObject,
  type ModelCall,
  type ModelConfig,
  providerOf,
  type Step,
} from '@amodal/sdk'
import { randomUUID } from 'node:crypto'
import { ending, extension, type Short, shortOf, tooManyCalls } from './budget.ts'
import type { LoopTurn } from './loop-turn.ts'
import { routed, settingsOf } from './routing.ts'

const CONTINUE_SCHEMA = {
  type: 'object',
  properties: {
    action: { enum: ['continue', 'finish'] },
    additional_turns: { type: 'integer', minimum: 1, maximum: 50 },
  },
  required: ['action'],
  additionalProperties: false,
}

/** Prepares a model call: limits, tools, prompt, model. */
export async function thinking(
  state: Extract<AgentState, { kind: 'thinking' }>,
  turn: LoopTurn,
): Promise<Step> {
  const {
    bundle,
    parts: { generation, compile, history },
  } = turn
  const stop = (next: AgentState): Step => ({ facts: [], next })
  const { limits } = bundle.manifest
  const over = turn.record.wrapping ? undefined : tooManyCalls(turn)
  if (over && (history.run.calls.size > 0 || mayAsk(turn))) return overBudget(over, state, turn)
  // Tools that were used up before are no reason to say nothing.
  if (over) turn.record = { ...turn.record, wrapping: true }
  const {
    record,
    record: { tier = 'main' },
  } = turn

  const last = state.step >= record.max_turns
  if (state.step > record.max_turns && !record.wrapping)
    return ask(state, turn, CONTINUE_SCHEMA, { reason: 'max_turns', turns: record.max_turns })

  const compiled = await compile.compile(generation, bundle, turn)
  if (!compiled.ok) return stop(turn.done(compiled.error))
  const chosen = chooseModel(generation, bundle, tier)
  // A request may name another model of the same provider's account.
  const config: ModelConfig | undefined = record.model
    ? { ...(record.model.provider === chosen?.provider ? chosen : {}), ...record.model }
    : chosen
  if (!config)
    return stop(turn.done(failure('NO_MODEL', 'no model is configured and none was found')))
  const named = record.model && providerOf(generation, config)
  if (named?.ok === false)
    return stop(turn.done(failure('VALIDATION_ERROR', `model: ${named.error.message}`)))

  const whole: ModelCall = {
    tier,
    config,
    system: compiled.value.prompt.text,
    sections: compiled.value.prompt.sections,
    messages: history.messages,
    tools: compiled.value.tools.schemas,
    // N turns give N useful ones: the last is for the answer. Nobody is asked to grant a sub-agent
    // more.
    toolChoice:
      record.wrapping ||
      (last && (turn.delegated || (limits.onMaxTurns ?? limits.onLimit) !== 'ask'))
        ? 'none'
        : 'auto',
    settings: settingsOf(config, limits),
    step: state.step,
    attempt: 0,
  }
  const compactor = generation.scope.find(Compactor)
  const asked = compactor ? compactor.fit(whole, history.counted, turn) : whole
  if (!asked) return stop({ kind: 'compacting', step: state.step, cause: 'threshold' })
  const short = shortOf(asked, turn)
  if (short)
    return 'code' in short
      ? stop({
          kind: 'done',
          reason: 'budget_exceeded',
          error: { code: short.code, message: short.message },
        })
      : overBudget(short, state, turn)
  const call = await routed(asked, turn)
  if (!call.ok) return stop(turn.done(call.error))
  for (const problem of compile.unsupported(
    generation,
    call.value.config,
    compiled.value.tools.schemas,
  ))
    turn.log.warn('model_unsupported', { problem })
  turn.asked = asked
  turn.call = call.value
  return { facts: [], next: { kind: 'streaming', step: state.step, attempt: 0 } }
}

/** Nobody is asked to grant a sub-agent more. */
const mayAsk = ({
  delegated,
  bundle: {
    manifest: { limits },
  },
}: LoopTurn): boolean => !delegated && limits.onLimit === 'ask'

/** A budget is used up: a person may extend it, where there is one. */
function overBudget(
  short: Short,
  state: Extract<AgentState, { kind: 'thinking' }>,
  turn: LoopTurn,
): Step {
  if (!mayAsk(turn)) return { facts: [], next: ending(short) }
  const { schema, context } = extension(short)
  return ask(state, turn, schema, context)
}

function ask(
  state: Extract<AgentState, { kind: 'thinking' }>,
  turn: LoopTurn,
  schema: JsonObject,
  context: JsonObject,
): Step {
  const id = askId(`ask_${randomUUID()}`)
  return {
    facts: [
      turn.fact({ kind: 'input_asked', ask: id, ask_type: 'continue_or_finish', schema, context }),
    ],
    next: {
      kind: 'confirming',
      step: state.step,
      asks: [{ id, type: 'continue_or_finish', schema, context }],
      calls: [],
    },
  }
}
