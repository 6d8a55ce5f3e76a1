import { callId, type JsonObject, type ReplyCall } from '@amodal/sdk'
import { NO_OUTCOME } from '@amodal/sdk/loop'
import { isRefusal } from '../verdict.ts'
import type { CallThing } from '../thing.ts'
import { decisionOf } from './ask-facts.ts'
import type { RowFacts, RowStatus } from './row.ts'
import { dollars, lineOf, sizeOf, tokensOf } from './text.ts'

/** How outcomes begin of calls that ended with their run. */
const STOPPED = ['The turn was stopped ', NO_OUTCOME] as const

const NO_CALL: ReplyCall = { id: callId('none'), name: 'unknown', input: '{}' }

/** The call as the model sent it. */
export const callOf = ({ entry, index }: CallThing): ReplyCall => entry.calls[index] ?? NO_CALL

/** The row of a call of a tool, or of a sub-agent. */
export function callFacts(thing: CallThing): RowFacts {
  const { intent, outcome, opened, closed } = thing
  const call = callOf(thing)
  const times = timesOf(thing)
  const status = callStatus(thing)
  const error = errorOf(thing, status)
  const common = { status, ...times, ...(error && { error }) }
  if (opened || closed) {
    const name = opened?.agent ?? closed?.agent ?? call.name
    return {
      kind: 'agent',
      title: `Sub-agent ${name}: ${lineOf(opened?.prompt ?? '', 120)}`,
      ...common,
      agent: {
        name,
        session: (opened ?? closed)?.child ?? null,
        call: call.id,
        ...(closed && { tokens: tokensOf(closed.usage), cost: dollars(closed.cost) }),
      },
    }
  }
  const target = intent?.target
  return {
    kind: 'tool',
    title: target ? `${call.name} → ${target.method} ${lineOf(target.path, 120)}` : call.name,
    ...common,
    tool: {
      name: call.name,
      call: call.id,
      ...(target && { target: { ...target } }),
      ...(outcome && { output_bytes: sizeOf(outcome.output) }),
      ...(outcome?.code !== undefined && { code: outcome.code }),
      ...(outcome?.private && { private: true }),
    },
  }
}

/** How a call stands. A settled one counts as what the person found. */
export function callStatus(thing: CallThing): RowStatus {
  const { outcome, closed, settled, run, questions } = thing
  if (settled) return settledStatus(settled.data)
  const status = outcome?.status ?? closed?.status
  if (status === undefined) {
    if (run.end) return 'cancelled'
    return questions.some((one) => decisionOf(one) === undefined) ? 'waiting' : 'running'
  }
  if (status === 'success') return 'done'
  if (status === 'unknown') return 'unknown'
  if (isRefusal(outcome?.code)) return 'refused'
  const text = typeof outcome?.output === 'string' ? outcome.output : ''
  const isStopped = STOPPED.some((start) => text.startsWith(start))
  return isStopped || outcome?.code === 'CANCELLED' ? 'cancelled' : 'failed'
}

function settledStatus(data: NonNullable<CallThing['settled']>['data']): RowStatus {
  const { settlement, status } = data as JsonObject // written by the loop
  return settlement === 'happened' || status === 'success' ? 'done' : 'failed'
}

/** Work begins with the intent, or as long before the outcome as it took; asking is no work. */
function timesOf({ entry: { at }, intent, outcome, opened, closed }: CallThing) {
  const ms = outcome?.ms ?? closed?.ms ?? null
  const begin = opened?.at ?? intent?.at
  if (begin !== undefined) return { startedAt: begin, ms }
  return { startedAt: outcome ? Math.max(at, outcome.at - outcome.ms) : at, ms }
}

function errorOf({ outcome, closed }: CallThing, status: RowStatus): RowFacts['error'] {
  if (status === 'done' || status === 'running' || status === 'waiting') return undefined
  const text = outcome ? outcome.output : (closed?.summary ?? '')
  if (text === '') return undefined
  return {
    code: outcome?.code ?? (status === 'unknown' ? 'OUTCOME_UNKNOWN' : 'TOOL_FAILED'),
    message: lineOf(typeof text === 'string' ? text : JSON.stringify(text), 300),
  }
}
