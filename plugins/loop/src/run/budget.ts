import {
  type AgentState,
  type Amount,
  Budgets,
  type CallId,
  err,
  failure,
  type Failure,
  type ModelCall,
  NANO,
  NO_USAGE,
  ok,
  Pricing,
  type Reservation,
  type Result,
  type Usage,
} from '@amodal/sdk'
import { spentIn } from '@amodal/sdk/loop'
import { type BudgetLine, messageOf, type Shortfall } from './budget-extension.ts'
import { BUDGET_NAMES, type BudgetName, isCost } from './budget-name.ts'
import { inputTokens, tokensOf } from '../model-calls/input-tokens.ts'
import type { LoopTurn } from './loop-turn.ts'
import { spentOn } from '../model-calls/spending.ts'

/** A call and the reservation of its budget. */
export interface ReservedCall {
  readonly call: ModelCall
  readonly settle: (usage: Usage) => Promise<void>
}

/**
 * Tokens to reserve for a reply in a shared budget, where the model's configuration has no limit.
 */
const SHARED_REPLY = 4_096
/** The smallest reservation, where the shared budget has room for no more. */
const SHORT_REPLY = 1_024
/** The share of a run's remaining budget for all its sub-agents; the rest is for the answer. */
const FOR_CHILDREN = 0.75

/**
 * The budgets of the session and the run for model calls. Side entries and open reservations count
 * as used.
 */
function linesOf(turn: LoopTurn): readonly BudgetLine[] {
  const {
    bundle: {
      manifest: { limits },
    },
    record,
    parts: { history },
  } = turn
  const nano = (dollars: number | undefined): number =>
    dollars === undefined ? Infinity : dollars * NANO
  const limitOf: readonly (readonly [BudgetName, number])[] = [
    [
      'session_tokens',
      Math.min(limits.maxSessionTokens ?? Infinity, record.max_tokens ?? Infinity),
    ],
    ['run_tokens', limits.maxRunTokens ?? Infinity],
    ['session_cost', Math.min(nano(limits.maxSessionCost), record.max_cost ?? Infinity)],
    ['run_cost', nano(limits.maxRunCost)],
  ]
  const set = limitOf.filter(([, limit]) => limit < Infinity)
  if (set.length === 0) return []
  const waiting = turn.sideEntries.flatMap((entry) => spentIn(entry) ?? [])
  const open = [...turn.reservations]
  const tokens =
    sum(waiting.map(({ usage }) => usage.input + usage.output)) + sum(open.map((one) => one.tokens))
  const cost = sum(waiting.map((one) => one.cost ?? 0)) + sum(open.map((one) => one.cost ?? 0))
  const used: Readonly<Record<BudgetName, number>> = {
    session_tokens: history.usage.input + history.usage.output + tokens,
    run_tokens: history.run.tokens + tokens,
    session_cost: history.cost + cost,
    run_cost: history.run.cost + cost,
    tool_calls: 0,
    session_tool_calls: 0,
  }
  return set.map(([name, limit]) => ({
    name,
    limit: limit + history.granted(name),
    used: used[name],
  }))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Assumes the most expensive case: new input may be billed as a cache write. */
function priceOf(
  { config }: ModelCall,
  turn: LoopTurn,
): ((input: number, output: number) => number) | undefined {
  const pricing = turn.parts.generation.scope.find(Pricing)
  const of = (usage: Usage): number | undefined => pricing?.price(config, usage, turn.bundle)
  if (of({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }) === undefined) return undefined
  return (input, output) =>
    Math.max(
      of({ input, output, cacheRead: 0, cacheWrite: 0 }) ?? 0,
      of({ input, output, cacheRead: 0, cacheWrite: input }) ?? 0,
    )
}

/**
 * The first budget that is too small for the call with a reply of one token; a failure where the
 * price of the call is unknown.
 */
export function shortfallOf(call: ModelCall, turn: LoopTurn): Shortfall | Failure | undefined {
  const lines = linesOf(turn)
  if (lines.length === 0) return undefined
  return shortfallIn(lines, inputOf(call, turn), call, turn)
}

function shortfallIn(
  lines: readonly BudgetLine[],
  input: number,
  call: ModelCall,
  turn: LoopTurn,
): Shortfall | Failure | undefined {
  const price = priceOf(call, turn)
  for (const line of lines) {
    if (isCost(line.name) && !price) {
      const { provider, model } = call.config
      const why = `nobody knows the price of "${provider}/${model}", so that none of it is used under \`limits.${BUDGET_NAMES[line.name].limit}\``
      return failure(
        'BUDGET_EXCEEDED',
        `${why}: write it into prices.json, 0 where it costs nothing`,
      )
    }
    const needs = isCost(line.name) ? (price?.(input, 1) ?? 0) : input + 1
    if (line.used + needs > line.limit) return { ...line, needs }
  }
  return undefined
}

/**
 * The estimated usage of a call that was stopped before its provider reported it, so that stopping
 * a reply near its end does not avoid its cost.
 */
export const estimatedUsage = (call: ModelCall, partialReply: string, turn: LoopTurn): Usage => ({
  ...NO_USAGE,
  input: inputOf(call, turn),
  output: tokensOf(partialReply),
})

const inputOf = (call: ModelCall, turn: LoopTurn): number =>
  inputTokens(call, call.aside ? undefined : turn.parts.history.counted)

/**
 * Reserves the budget of a call and limits its reply to what remains. Settling replaces the
 * reservation by the actual usage. Without a budget nothing is counted.
 */
export async function reserve(
  call: ModelCall,
  turn: LoopTurn,
): Promise<Result<ReservedCall, Failure>> {
  const shared = sharedOf(turn)
  const lines = linesOf(turn)
  if (lines.length === 0 && !shared) return ok({ call, settle: () => Promise.resolve() })

  const input = inputOf(call, turn)
  const short = shortfallIn(lines, input, call, turn)
  if (short) return err(failureOf(short))
  const price = priceOf(call, turn)
  const usual = shared ? SHARED_REPLY : Infinity
  const output = Math.min(call.settings.maxOutputTokens ?? usual, roomIn(lines, input, price))
  const amount = (reply: number): Amount => ({ tokens: input + reply, cost: price?.(input, reply) })
  const most = amount(output === Infinity ? 0 : output)
  turn.reservations.add(most)
  const brief = Math.min(output, SHORT_REPLY)
  const reserved: Result<Reservation | undefined, Failure> = shared
    ? await shared.reserve(turn, most, amount(brief), turn.signal)
    : ok(undefined)
  if (!reserved.ok) {
    turn.reservations.delete(most)
    return reserved
  }
  const reply = reserved.value?.isFull === false ? brief : output
  return ok({
    call: cappedAt(reply, call),
    async settle(usage) {
      turn.reservations.delete(most)
      await reserved.value?.settle({
        tokens: usage.input + usage.output,
        cost: spentOn(call, usage, turn).cost,
      })
    },
  })
}

function sharedOf({ parts }: LoopTurn): Budgets | undefined {
  const found = parts.generation.scope.find(Budgets)
  return found?.active ? found : undefined
}

const failureOf = (short: Shortfall | Failure): Failure =>
  'code' in short ? short : failure('BUDGET_EXCEEDED', messageOf(short))

const cappedAt = (maxOutputTokens: number, call: ModelCall): ModelCall =>
  maxOutputTokens === Infinity ? call : { ...call, settings: { ...call.settings, maxOutputTokens } }

/** The tokens of a reply that fit into all budgets. */
function roomIn(
  lines: readonly BudgetLine[],
  input: number,
  price: ReturnType<typeof priceOf>,
): number {
  return Math.min(
    ...lines.map(({ name, limit, used }) => {
      if (!isCost(name)) return limit - used - input
      const each = price ? (price(input, NANO) - price(input, 0)) / NANO : 0
      return each === 0 ? Infinity : Math.floor((limit - used - (price?.(input, 0) ?? 0)) / each)
    }),
    Infinity,
  )
}

/**
 * The budget of each sub-agent, so that all of them together stay within what remains; `undefined`
 * where nothing remains.
 */
export function childShare(
  children: number,
  turn: LoopTurn,
): { readonly max_tokens?: number; readonly max_cost?: number } | undefined {
  const lines = linesOf(turn)
  const remaining = (cost: boolean): number =>
    Math.min(
      ...lines.filter(({ name }) => isCost(name) === cost).map(({ limit, used }) => limit - used),
      Infinity,
    )
  const each = (cost: boolean): number => Math.floor((remaining(cost) * FOR_CHILDREN) / children)
  const tokens = each(false)
  const cost = each(true)
  if (tokens <= 0 || cost <= 0) return undefined
  return {
    ...(tokens < Infinity && { max_tokens: tokens }),
    ...(cost < Infinity && { max_cost: cost }),
  }
}

/** A limit of tool calls, and the number of calls before the run began. */
interface CallLine {
  readonly name: BudgetName
  readonly limit: number
  readonly before: number
}

function callLines({
  bundle: {
    manifest: { limits },
  },
  parts: { history, settings },
}: LoopTurn): readonly CallLine[] {
  return [
    {
      name: 'tool_calls',
      limit: (limits.maxToolCalls ?? settings.maxToolCalls) + history.granted('tool_calls'),
      before: 0,
    },
    {
      name: 'session_tool_calls',
      limit: (limits.maxSessionToolCalls ?? Infinity) + history.granted('session_tool_calls'),
      before: history.callIds.size - history.run.calls.size,
    },
  ]
}

/** Why a call exceeds a limit of tool calls. */
export function refusalOf(id: CallId, turn: LoopTurn): string | undefined {
  const nth = turn.parts.history.run.calls.get(id) ?? 0
  const over = callLines(turn).find(({ limit, before }) => before + nth > limit)
  return (
    over &&
    `This ${BUDGET_NAMES[over.name].unit} may make ${over.limit} tool calls (limits.${BUDGET_NAMES[over.name].limit}), and they are used up.`
  )
}

/**
 * The limit of tool calls that the model has exceeded, or that was used up before the run began.
 */
export function tooManyCalls(turn: LoopTurn): Shortfall | undefined {
  const { size } = turn.parts.history.run.calls
  const over = callLines(turn).find(({ limit, before }) => before + size > limit || before >= limit)
  return over && { name: over.name, limit: over.limit, used: over.before + size, needs: 1 }
}

export const ending = (short: Shortfall): AgentState => ({
  kind: 'done',
  reason: 'budget_exceeded',
  error: { code: 'BUDGET_EXCEEDED', message: messageOf(short) },
})
