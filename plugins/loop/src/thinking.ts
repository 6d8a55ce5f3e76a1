import { type AgentState, askId, failure, type ModelCall, type ModelConfig, type Step } from '@amodal/sdk'
import { randomUUID } from 'node:crypto'
import { chooseModel, providerOf } from './compile.ts'
import type { LoopTurn } from './loop-turn.ts'

const CONTINUE_SCHEMA = {
  type: 'object',
  properties: { action: { enum: ['continue', 'finish'] }, additional_turns: { type: 'integer', minimum: 1, maximum: 50 } },
  required: ['action'], additionalProperties: false,
}

/** Prepares a model call: limits, tools, prompt, model. */
export async function thinking(state: Extract<AgentState, { kind: 'thinking' }>, turn: LoopTurn): Promise<Step> {
  const { bundle, hooks, record, parts: { generation, compile, history } } = turn
  const stop = (next: AgentState): Step => ({ facts: [], next })
  const budget = Math.min(bundle.manifest.limits.maxSessionTokens ?? Infinity, record.max_tokens ?? Infinity)
  if (history.usage.input + history.usage.output >= budget) return stop({ kind: 'done', reason: 'budget_exceeded' })

  const last = state.step >= record.max_turns
  if (state.step > record.max_turns && !record.wrapping) return askToContinue(state, turn)

  const compiled = await compile.compile(generation, bundle, turn)
  if (!compiled.ok) return stop(turn.done(compiled.error))
  const chosen = chooseModel(generation, bundle, 'main')
  // A request may name another model of the same provider's account.
  const config: ModelConfig | undefined = record.model ? { ...(record.model.provider === chosen?.provider ? chosen : {}), ...record.model } : chosen
  if (!config) return stop(turn.done(failure('NO_MODEL', 'no model is configured and none was found')))
  const asked = record.model && providerOf(generation, config)
  if (asked?.ok === false) return stop(turn.done(failure('VALIDATION_ERROR', `model: ${asked.error.message}`)))

  let call: ModelCall = {
    tier: 'main', config, system: compiled.value.prompt.text, messages: history.messages, tools: compiled.value.tools.schemas,
    // N turns give N useful ones: the last is for the answer.
    toolChoice: last && (record.wrapping || bundle.manifest.limits.onMaxTurns !== 'ask') ? 'none' : 'auto',
    settings: {
      ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
      ...(config.maxTokens === undefined ? {} : { maxOutputTokens: config.maxTokens }),
    },
    step: state.step, attempt: 0,
  }
  if (hooks.model.route.tapped) {
    const routed = await hooks.model.route.call(call, turn)
    if (!routed.ok) return stop(turn.done(routed.error))
    if (routed.value) call = { ...call, config: { ...(routed.value.provider === config.provider ? config : {}), ...routed.value } }
  }
  if (hooks.model.call.tapped) {
    const changed = await hooks.model.call.call(call, turn)
    if (!changed.ok) return stop(turn.done(changed.error))
    call = changed.value
  }
  turn.call = call
  return { facts: [], next: { kind: 'streaming', step: state.step, attempt: 0 } }
}

/** The turns are used up and a person may grant more. */
function askToContinue(state: Extract<AgentState, { kind: 'thinking' }>, turn: LoopTurn): Step {
  const ask = askId(`ask_${randomUUID()}`)
  const context = { reason: 'max_turns', turns: turn.record.max_turns }
  return {
    facts: [turn.fact({ kind: 'input_asked', ask, ask_type: 'continue_or_finish', schema: CONTINUE_SCHEMA, context })],
    next: { kind: 'confirming', step: state.step, asks: [{ id: ask, type: 'continue_or_finish', schema: CONTINUE_SCHEMA, context }], calls: [] },
  }
}
