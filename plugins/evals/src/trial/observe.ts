import {
  err,
  isObject,
  ok,
  trySync,
  type AgentClient,
  type CallId,
  type ChildClosed,
  type Failure,
  type Json,
  type JournalEntry,
  type JsonObject,
  type Result,
  type SessionId,
  type ToolOutcome,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { spentIn } from '@amodal/sdk/loop'
import type { ObservedCall } from '../definition.ts'
import { UNSTUBBED } from './stubbed-tools.ts'

/** What the journals of a session and of its sub-agents say. */
export interface Journal {
  readonly calls: readonly ObservedCall[]
  readonly approvals: readonly string[]
  readonly tokens: { readonly input: number; readonly output: number }
  /** Billionths of a dollar; `undefined` where the price of a call is not known. */
  readonly cost: number | undefined
  readonly modelCalls: number
  /** The last answer of the session. */
  readonly text: string
}

/** Whether a call would have changed something, also where it was refused before it began. */
export type IsEffect = (call: CallId) => boolean

/** Sub-agents of sub-agents, as deep as the product lets them be. */
const DEEPEST = 8

/**
 * Reads what a session came to from its journal, with the sub-agents that worked for it.
 *
 * @param agents names of the sub-agents that lead to it
 * @returns calls of sub-agents behind those of the agent
 */
export async function readJournal(
  client: AgentClient,
  session: SessionId,
  isEffect: IsEffect,
  agents: readonly string[] = [],
): Promise<Result<Journal, Failure>> {
  const view = await client.session(session)
  if (!view.ok) return view
  const { entries } = view.value
  const own = ownJournal(entries, agents, isEffect)
  if (agents.length >= DEEPEST) return ok(own)
  const children: Journal[] = []
  for (const entry of entries) {
    if (entry.kind !== 'child_opened') continue
    const child = await readJournal(client, entry.child, isEffect, [...agents, entry.agent])
    if (!child.ok) return err(child.error)
    children.push(child.value)
  }
  return ok(children.reduce(joined, own))
}

/** One after the other: calls of sub-agents stand behind those of the agent. */
const joined = (one: Journal, other: Journal): Journal => ({
  calls: [...one.calls, ...other.calls],
  approvals: [...one.approvals, ...other.approvals],
  tokens: {
    input: one.tokens.input + other.tokens.input,
    output: one.tokens.output + other.tokens.output,
  },
  cost: one.cost === undefined || other.cost === undefined ? undefined : one.cost + other.cost,
  modelCalls: one.modelCalls + other.modelCalls,
  text: one.text,
})

function ownJournal(
  entries: readonly JournalEntry[],
  agents: readonly string[],
  isEffect: IsEffect,
): Journal {
  const spent = entries.flatMap((entry) => spentIn(entry) ?? [])
  const replies = entries.filter((entry) => entry.kind === 'model_reply')
  const costs = spent.map(({ cost }) => cost)
  return {
    calls: callsIn(entries, agents, isEffect),
    approvals: entries.flatMap((entry) =>
      entry.kind === 'input_asked' && entry.ask_type === 'approval'
        ? [entry.name ?? toolIn(entry.context)]
        : [],
    ),
    tokens: {
      input: spent.reduce((sum, { usage }) => sum + usage.input, 0),
      output: spent.reduce((sum, { usage }) => sum + usage.output, 0),
    },
    cost: costs.some((cost) => cost === undefined)
      ? undefined
      : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    modelCalls: spent.length,
    text: replies.at(-1)?.text ?? '',
  }
}

const toolIn = ({ tool }: JsonObject): string => (typeof tool === 'string' ? tool : '')

function callsIn(
  entries: readonly JournalEntry[],
  agents: readonly string[],
  isEffect: IsEffect,
): readonly ObservedCall[] {
  const outcomes = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'tool_outcome' ? [[entry.call, entry] as const] : [],
    ),
  )
  const dispatched = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'child_closed' ? [[entry.call, dispatchedOf(entry)] as const] : [],
    ),
  )
  const intents = new Set(
    entries.flatMap((entry) => (entry.kind === 'tool_intent' ? [entry.call] : [])),
  )
  return entries.flatMap((entry) =>
    entry.kind === 'model_reply'
      ? entry.calls.map(({ id, name, input }) => {
          const outcome = outcomes.get(id)
          return {
            id,
            name: outcome?.name ?? name,
            args: argsIn(input),
            agents,
            writes: intents.has(id) || isEffect(id),
            ...(outcome ? outcomeOf(outcome) : (dispatched.get(id) ?? NO_OUTCOME)),
          }
        })
      : [],
  )
}

type Outcome = Pick<ObservedCall, 'status' | 'output' | 'error'>

const NO_OUTCOME: Outcome = { status: 'error', error: 'no outcome' }

/** What a sub-agent gave back. */
const dispatchedOf = ({ status, summary }: ChildClosed): Outcome =>
  status === 'success' ? { status, output: summary } : { status: 'error', error: summary }

function argsIn(input: string): JsonObject {
  const args = trySync(
    () => parseExact(input) as Json, // a reply's input is JSON
    () => undefined,
  )
  return args.ok && isObject(args.value) ? args.value : {}
}

const DENIED: ReadonlySet<string> = new Set(['TOOL_DENIED', 'REJECTED', 'APPROVAL_REQUIRED'])

function outcomeOf({ code, output, status }: ToolOutcome): Outcome {
  if (status === 'success') return { status, output }
  const error = typeof output === 'string' ? output : JSON.stringify(output)
  return {
    status: code !== undefined && code !== UNSTUBBED && DENIED.has(code) ? 'denied' : 'error',
    error,
  }
}
