import {
  isObject,
  ok,
  trySync,
  type CallId,
  type Failure,
  type Json,
  type JsonObject,
  type ReplyCall,
  type Result,
  type SequencedEntry,
  type ToolIntent,
  type ToolOutcome,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { StubOutcome } from '../definition.ts'
import { notPromotable, type Part } from './conversation.ts'
import { hasHandle, isCut, isMasked, someText, withoutMasked } from './marks.ts'

/** What stands in for one call. */
export interface PromotedStub {
  readonly tool: string
  readonly match: JsonObject
  readonly outcome: StubOutcome
}

/** What an agent and its sub-agents called. */
export interface PromotedCalls {
  /** In the order in which the calls began. */
  readonly stubs: readonly PromotedStub[]
  /** Names of the agent's own calls, in order. */
  readonly own: readonly string[]
  /** Names of all calls, each once. */
  readonly names: readonly string[]
  /** Calls that changed something, and those that would have. */
  readonly writes: { readonly least: number; readonly most: number }
  /** Tools that are called themselves in a case, on the data that it begins with. */
  readonly inside: readonly string[]
}

/** Whether a tool acts outside of the tenant's own data; `undefined`: it is not there any more. */
export type ReachesOut = (tool: string) => boolean | undefined

/** Refused before it began, so that nothing stands in for it. */
const NOT_BEGUN: ReadonlySet<string> = new Set([
  'TOOL_DENIED',
  'TOOL_UNKNOWN',
  'TOOL_ARGUMENTS',
  'TOOL_CHANGED',
  'BUDGET_EXCEEDED',
  'REJECTED',
  'APPROVAL_REQUIRED',
])

interface Call {
  readonly call: ReplyCall
  readonly seq: number
  readonly at: number
  readonly isOwn: boolean
  readonly intent: SequencedEntry<ToolIntent> | undefined
  readonly outcome: SequencedEntry<ToolOutcome> | undefined
  readonly isAsked: boolean
  /** It is a sub-agent, whose own calls count. */
  readonly isChild: boolean
  /** It asked a person, whose answers the case has. */
  readonly isQuestion: boolean
}

/** Reads the calls of a conversation; says which of them cannot be answered by a stub, and why. */
export function promotedCalls(
  parts: readonly Part[],
  reachesOut: ReachesOut,
  isShown: boolean,
): Result<PromotedCalls, Failure> {
  const calls = parts.flatMap((part) => callsIn(part)).toSorted((one, other) => one.at - other.at)
  const stubs: PromotedStub[] = []
  for (const call of calls) {
    const stub = stubOf(call, reachesOut, isShown)
    if (!stub.ok) return stub
    if (stub.value) stubs.push(stub.value)
  }
  const least = calls.filter(({ intent }) => intent).length
  const most = calls.filter(({ intent, isAsked, outcome }) => {
    const isDenied = outcome?.code !== undefined && NOT_BEGUN.has(outcome.code)
    return intent !== undefined || isAsked || isDenied
  }).length
  return ok({
    stubs,
    own: calls.filter(({ isOwn }) => isOwn).map(nameOf),
    names: [...new Set(calls.map(nameOf))],
    writes: { least, most },
    inside: insideOf(calls, reachesOut),
  })
}

const nameOf = ({ call, outcome }: Call): string => outcome?.name ?? call.name

function callsIn({ entries, agents }: Part): readonly Call[] {
  const [intents, outcomes] = [
    new Map<CallId, SequencedEntry<ToolIntent>>(),
    new Map<CallId, SequencedEntry<ToolOutcome>>(),
  ]
  const [approvals, children, questions] = [new Set<CallId>(), new Set<CallId>(), new Set<CallId>()]
  for (const entry of entries) {
    if (entry.kind === 'tool_intent') intents.set(entry.call, entry)
    if (entry.kind === 'tool_outcome') outcomes.set(entry.call, entry)
    if (entry.kind === 'child_opened') children.add(entry.call)
    if (entry.kind === 'input_asked' && entry.call !== undefined) {
      if (entry.ask_type === 'approval') approvals.add(entry.call)
      if (entry.ask_type === 'question') questions.add(entry.call)
    }
  }
  return entries.flatMap((entry) =>
    entry.kind === 'model_reply'
      ? entry.calls.map((call) => ({
          call,
          seq: entry.seq,
          at: entry.at,
          isOwn: agents.length === 0,
          intent: intents.get(call.id),
          outcome: outcomes.get(call.id),
          isAsked: approvals.has(call.id) && !children.has(call.id),
          isChild: children.has(call.id),
          isQuestion: questions.has(call.id),
        }))
      : [],
  )
}

function stubOf(
  one: Call,
  reachesOut: ReachesOut,
  isShown: boolean,
): Result<PromotedStub | undefined, Failure> {
  const { call, intent, isChild, outcome, seq } = one
  if (isChild || call.broken !== undefined) return ok(undefined)
  const [tool, id] = [nameOf(one), call.id]
  if (!outcome) return notPromotable(seq, `the call ${id} of ${tool} has no outcome`)
  const code = outcome.code ?? ''
  if (outcome.status === 'error' && NOT_BEGUN.has(code) && !intent) return ok(undefined)
  if (!isOutside(tool, intent, reachesOut)) return ok(undefined)
  const why = unusable(outcome, isShown)
  if (why !== undefined) return notPromotable(outcome.seq, `the call ${id} of ${tool}: ${why}`)
  const { output, status } = outcome
  return ok({
    tool,
    match: matchOf(call, intent),
    outcome:
      status === 'success'
        ? { kind: 'result', output }
        : {
            kind: 'error',
            message: typeof output === 'string' ? output : JSON.stringify(output),
            ...(code !== '' && { code }),
          },
  })
}

/** One that is there no more is a stub all the same: whoever calls it is told what it gave. */
const isOutside = (tool: string, intent: ToolIntent | undefined, reachesOut: ReachesOut): boolean =>
  intent?.target !== undefined || (reachesOut(tool) ?? true)

/** Why a case cannot give the agent what it got. */
function unusable(outcome: ToolOutcome, isShown: boolean): string | undefined {
  const { content = [], output } = outcome
  if (outcome.status === 'unknown') return 'whether it took effect is unknown'
  if (outcome.private) return 'its result is private'
  if (someText(output, hasHandle)) return 'its result has values that were redacted'
  if (isShown && someText(output, isMasked)) return 'its result has values that were taken out'
  if (outcome.code === 'RESULT_TOO_LARGE' || someText(output, isCut)) return 'its result was cut'
  if (content.some(({ type }) => type !== 'text')) return 'its result has a file'
  if (outcome.ends) return 'its result ended the turn'
  return undefined
}

/** What the tool was given, as far as it is known; every other call has it among others. */
function matchOf({ input }: ReplyCall, intent: ToolIntent | undefined): JsonObject {
  const args = intent?.args ?? argumentsIn(input)
  const match = withoutMasked(args)
  return isObject(match) ? match : {}
}

function argumentsIn(input: string): JsonObject {
  const args = trySync(
    () => parseExact(input) as Json, // a reply's input is JSON
    () => undefined,
  )
  return args.ok && isObject(args.value) ? args.value : {}
}

function insideOf(calls: readonly Call[], reachesOut: ReachesOut): readonly string[] {
  const inside = calls.filter(
    (call) =>
      !call.isChild &&
      !call.isQuestion &&
      call.outcome?.status === 'success' &&
      !isOutside(nameOf(call), call.intent, reachesOut),
  )
  return [...new Set(inside.map(nameOf))]
}
