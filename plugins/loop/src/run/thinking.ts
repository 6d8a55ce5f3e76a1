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
  type CompiledPrompt,
  err,
  type Failure,
  ok,
  type Result,
} from '@amodal/sdk'
import { noModelFound } from '@amodal/sdk/loop'
import { randomUUID } from 'node:crypto'
import { ending, shortfallOf, tooManyCalls } from './budget.ts'
import { extension, type Shortfall } from './budget-extension.ts'
import type { LoopTurn } from './loop-turn.ts'
import { routed, settingsOf } from '../model-calls/routing.ts'
import type { ToolSet } from '../tool-calls/tool-set.ts'

const CONTINUE_SCHEMA = {
  type: 'object',
  properties: {
    action: { enum: ['continue', 'finish'] },
    additional_turns: { type: 'integer', minimum: 1, maximum: 50 },
  },
  required: ['action'],
  additionalProperties: false,
}

type Thinking = Extract<AgentState, { kind: 'thinking' }>
const stop = (next: AgentState): Step => ({ entries: [], next })

/** Prepares a model call: limits, tools, prompt, model. */
export async function thinking(state: Thinking, turn: LoopTurn): Promise<Step> {
  const limit = limitReached(state, turn)
  if (limit) return limit
  const { generation, compile, history } = turn.parts
  const compiled = await compile.compile(generation, turn.bundle, turn)
  if (!compiled.ok) return stop(turn.done(compiled.error))
  const config = configOf(turn)
  if (!config.ok) return stop(turn.done(config.error))
  const fullCall = callOf(state, config.value, compiled.value, turn)
  const compactor = generation.scope.find(Compactor)
  const fitted = compactor ? compactor.fit(fullCall, history.counted, turn) : fullCall
  if (!fitted) return stop({ kind: 'compacting', step: state.step, cause: 'threshold' })
  const short = shortfallOf(fitted, turn)
  if (short) return tooShort(short, state, turn)
  const call = await routed(fitted, turn)
  if (!call.ok) return stop(turn.done(call.error))
  const { schemas } = compiled.value.tools
  for (const problem of compile.unsupported(generation, call.value.config, schemas))
    turn.log.warn('model_unsupported', { problem })
  turn.unroutedCall = fitted
  turn.modelCall = call.value
  return stop({ kind: 'streaming', step: state.step })
}

/** Checks the limits of tool calls and turns; a person may be asked to extend them. */
function limitReached(state: Thinking, turn: LoopTurn): Step | undefined {
  const over = turn.record.wrapping ? undefined : tooManyCalls(turn)
  if (over && (turn.parts.history.run.calls.size > 0 || mayAsk(turn)))
    return overBudget(over, state, turn)
  // If the calls were used up before the run, the model still answers.
  if (over) turn.record = { ...turn.record, wrapping: true }
  const { max_turns: turns, wrapping } = turn.record
  return state.step > turns && !wrapping
    ? ask(state, turn, CONTINUE_SCHEMA, { reason: 'max_turns', turns })
    : undefined
}

/** The model of the tier. A request may name another model of the same provider's account. */
function configOf({ record, bundle, parts }: LoopTurn): Result<ModelConfig, Failure> {
  const chosen = chooseModel(parts.generation, bundle, record.tier ?? 'main')
  const { model: named } = record
  if (!named) return chosen ? ok(chosen) : err(noModelFound(parts.generation))
  const account = named.provider === chosen?.provider ? chosen : {}
  const config: ModelConfig = { ...account, ...named }
  const provider = providerOf(parts.generation, config)
  return provider.ok
    ? ok(config)
    : err(failure('VALIDATION_ERROR', `model: ${provider.error.message}`))
}

function callOf(
  { step }: Thinking,
  config: ModelConfig,
  { prompt, tools }: { readonly prompt: CompiledPrompt; readonly tools: ToolSet },
  { record, delegated, bundle, parts }: LoopTurn,
): ModelCall {
  const { limits } = bundle.manifest
  // The last of N turns is for the answer. Sub-agents never ask for an extension.
  const onMaxTurns = record.on_max_turns ?? limits.onMaxTurns ?? limits.onLimit
  const isLast = step >= record.max_turns && (delegated || onMaxTurns !== 'ask')
  return {
    tier: record.tier ?? 'main',
    config,
    system: prompt.text,
    sections: prompt.sections,
    messages: parts.history.messages,
    tools: tools.schemas,
    toolChoice: record.wrapping || isLast ? 'none' : 'auto',
    settings: settingsOf(config, limits),
    step,
    attempt: 0,
  }
}

function tooShort(short: Shortfall | Failure, state: Thinking, turn: LoopTurn): Step {
  if (!('code' in short)) return overBudget(short, state, turn)
  const { code, message } = short
  return stop({ kind: 'done', reason: 'budget_exceeded', error: { code, message } })
}

/** Whether a person may be asked for an extension; never for a sub-agent. */
const mayAsk = ({
  delegated,
  bundle: {
    manifest: { limits },
  },
}: LoopTurn): boolean => !delegated && limits.onLimit === 'ask'

/** Handles a budget that is used up: asks a person, or ends the run. */
function overBudget(short: Shortfall, state: Thinking, turn: LoopTurn): Step {
  if (!mayAsk(turn)) return { entries: [], next: ending(short) }
  const { schema, context } = extension(short)
  return ask(state, turn, schema, context)
}

function ask(state: Thinking, turn: LoopTurn, schema: JsonObject, context: JsonObject): Step {
  const id = askId(`ask_${randomUUID()}`)
  return {
    entries: [
      turn.newEntry({
        kind: 'input_asked',
        ask: id,
        ask_type: 'continue_or_finish',
        schema,
        context,
      }),
    ],
    next: {
      kind: 'confirming',
      step: state.step,
      asks: [{ id, type: 'continue_or_finish', schema, context }],
      calls: [],
    },
  }
}
