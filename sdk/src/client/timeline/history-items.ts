import type { Json, JsonObject } from '@amodal/kernel'
import type { PastApproval, PastCall, SessionDetails, SessionMessage } from '../types.ts'
import { approvalFields } from './ask.ts'
import { eventItem } from './event-item.ts'
import { plain, type Call, type Item } from './item.ts'

type Decisions = Partial<Pick<SessionDetails, 'approvals' | 'unknown_calls'>>

/** The items of a stored session. */
export function historyItems(
  messages: readonly SessionMessage[],
  { approvals = [], unknown_calls: unknownCalls = [] }: Decisions = {},
): readonly Item[] {
  const contexts = new Map(approvals.map((approval) => [approval.ask_id, approval['asked']]))
  return messages.flatMap(({ role, text, seq, assets, toolCalls = [], end }): readonly Item[] => {
    const ended = end ? endItems(seq, end) : []
    if (role === 'user')
      return [{ kind: 'user', key: `m${seq}`, text, ...(assets && { assets }) }, ...ended]
    return [
      ...(text === '' ? [] : [{ kind: 'text' as const, key: `m${seq}`, text }]),
      ...toolCalls.flatMap((call) => callItems(call, contexts, unknownCalls)),
      ...ended,
    ]
  })
}

/** The decisions about calls, by the id of the question. */
export const approvalsIn = (
  messages: readonly SessionMessage[],
): ReadonlyMap<string, PastApproval> =>
  new Map(
    messages
      .flatMap(({ toolCalls = [] }) => toolCalls)
      .flatMap(({ approval }) => (approval ? [[approval.ask_id, approval] as const] : [])),
  )

function callItems(
  call: PastCall,
  contexts: ReadonlyMap<string, JsonObject>,
  unknownCalls: SessionDetails['unknown_calls'],
): readonly Item[] {
  const { toolId: id, toolName: name, parameters: params, approval } = call
  return [
    {
      kind: 'call',
      key: id,
      name,
      label: call.label ?? name,
      params,
      status: statusOf(call),
      result: call.result === undefined ? undefined : plain(call.result),
      content: call.content ?? [],
      ms: call.duration_ms,
      log: [],
    },
    ...(approval ? [decidedItem(approval, name, params, contexts.get(approval.ask_id))] : []),
    ...(call.status === 'unknown'
      ? [
          {
            kind: 'doubt' as const,
            key: `${id}-doubt`,
            tool: name,
            params,
            open: unknownCalls.find(({ call_id: other }) => other === id),
            settled: call.settled,
          },
        ]
      : []),
    ...(call.events ?? []).flatMap((event, at) => eventItem(`${id}-${at}`, event) ?? []),
  ]
}

function statusOf({ status, settled }: PastCall): Call['status'] {
  if (settled)
    return settled.outcome === 'not_happened' || settled.status === 'error' ? 'error' : 'success'
  if (status === undefined) return 'stopped'
  return status === 'success' || status === 'unknown' ? status : 'error'
}

/** An approval of the past, as its card shows it. */
function decidedItem(
  { ask_id: id, ...settled }: PastApproval,
  tool: string,
  params: Json,
  context: JsonObject = {},
): Item {
  return {
    kind: 'ask',
    key: id,
    ask: {
      id,
      kind: 'approval',
      ...approvalFields(context, tool),
      params: context['params'] ?? params,
      grant: undefined,
      expires: undefined,
    },
    open: false,
    settled,
  }
}

function endItems(
  seq: number,
  { reason, usage, cost, error }: NonNullable<SessionMessage['end']>,
): readonly Item[] {
  return [
    ...(error
      ? [
          {
            kind: 'note' as const,
            key: `m${seq}-error`,
            tone: 'error' as const,
            text: error.message,
          },
        ]
      : []),
    { kind: 'end', key: `m${seq}-end`, seq, reason, usage, cost },
  ]
}
