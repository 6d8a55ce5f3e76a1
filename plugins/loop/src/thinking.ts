import { type AgentState, askId, Compactor, failure, type ModelCall, type ModelConfig, type Step } from '@amodal/sdk'
import { randomUUID } from 'node:crypto'
import { chooseModel, providerOf } from './compile.ts'
import type { LoopTurn } from './loop-turn.ts'
import { routed, settingsOf } from './routing.ts'

const CONTINUE_SCHEMA = {
  type: 'object',
  properties: { action: { enum: ['continue', 'finish'] }, additional_turns: { type: 'integer', minimum: 1, maximum: 50 } },
  required: ['action'], additionalProperties: false,
}

/** Prepares a model call: limits, tools, prompt, model. */
export async function thinking(state: Extract<AgentState, { kind: 'thinking' }>, turn: LoopTurn): Promise<Step> {
  const { bundle, record, record: { tier = 'main' }, parts: { generation, compile, history } } = turn
  const stop = (next: AgentState): Step => ({ facts: [], next })
  const budget = Math.min(bundle.manifest.limits.maxSessionTokens ?? Infinity, record.max_tokens ?? Infinity)
  // What was counted last is sent again: it is taken off before the call, so that the call cannot go past the rest.
  const left = budget - history.usage.input - history.usage.output - (history.counted?.tokens ?? 0)
  if (left <= 0) return stop({ kind: 'done', reason: 'budget_exceeded' })

  const last = state.step >= record.max_turns
  if (state.step > record.max_turns && !record.wrapping) return askToContinue(state, turn)

  const compiled = await compile.compile(generation, bundle, turn)
  if (!compiled.ok) return stop(turn.done(compiled.error))
  const chosen = chooseModel(generation, bundle, tier)
  // A request may name another model of the same provider's account.
  const config: ModelConfig | undefined = record.model ? { ...(record.model.provider === chosen?.provider ? chosen : {}), ...record.model } : chosen
  if (!config) return stop(turn.done(failure('NO_MODEL', 'no model is configured and none was found')))
  const named = record.model && providerOf(generation, config)
  if (named?.ok === false) return stop(turn.done(failure('VALIDATION_ERROR', `model: ${named.error.message}`)))

  const whole: ModelCall = {
    tier, config, system: compiled.value.prompt.text, messages: history.messages, tools: compiled.value.tools.schemas,
    // N turns give N useful ones: the last is for the answer. Nobody is asked to grant a sub-agent more.
    toolChoice: last && (record.wrapping || turn.delegated || bundle.manifest.limits.onMaxTurns !== 'ask') ? 'none' : 'auto',
    settings: withinBudget(settingsOf(config), left), step: state.step, attempt: 0,
  }
  const compactor = generation.scope.find(Compactor)
  const asked = compactor ? compactor.fit(whole, history.counted, turn) : whole
  if (!asked) return stop({ kind: 'compacting', step: state.step, cause: 'threshold' })
  const call = await routed(asked, turn)
  if (!call.ok) return stop(turn.done(call.error))
  turn.asked = asked
  turn.call = call.value
  return { facts: [], next: { kind: 'streaming', step: state.step, attempt: 0 } }
}

const withinBudget = (settings: ModelCall['settings'], left: number): ModelCall['settings'] =>
  (left === Infinity ? settings : { ...settings, maxOutputTokens: Math.min(settings.maxOutputTokens ?? Infinity, left) })

/** The turns are used up and a person may grant more. */
function askToContinue(state: Extract<AgentState, { kind: 'thinking' }>, turn: LoopTurn): Step {
  const ask = askId(`ask_${randomUUID()}`)
  const context = { reason: 'max_turns', turns: turn.record.max_turns }
  return {
    facts: [turn.fact({ kind: 'input_asked', ask, ask_type: 'continue_or_finish', schema: CONTINUE_SCHEMA, context })],
    next: { kind: 'confirming', step: state.step, asks: [{ id: ask, type: 'continue_or_finish', schema: CONTINUE_SCHEMA, context }], calls: [] },
  }
}
