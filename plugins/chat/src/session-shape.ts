import {
  LOCAL_TENANT,
  NANO,
  redact,
  stateOf,
  type Caller,
  type Json,
  type JsonObject,
  type LastEnd,
  type PendingAsk,
  type SessionRow,
  type SessionView,
  type SetAside,
  type UnknownCall,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { openAsks } from '@amodal/sdk/loop'
import { approvalsOf, grantsOf } from './approvals.ts'
import { messagesOf } from './history.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

/** `null` where no price is known. */
export const dollars = (cost: number | undefined): number | null =>
  cost === undefined ? null : cost / NANO

/** An open question, in the shape of the API. */
export const shownAsk = ({
  id,
  type,
  call,
  schema,
  context,
  expires_at,
}: PendingAsk): JsonObject => ({
  id,
  ...(call && { tool_id: call }),
  pending_input_type: type,
  pending_input_schema: schema,
  pending_input_context: redact(context),
  ...(expires_at !== undefined && { expires_at: iso(expires_at) }),
})

const shownSetAside = ({ code, message, crashes, at }: SetAside): JsonObject => ({
  code,
  message,
  crashes,
  at: iso(at),
})

const shownUnknown = ({ call, name, at, key, retry, args }: UnknownCall): JsonObject => ({
  call_id: call,
  tool_name: name,
  at: iso(at),
  idempotency_key: key,
  can_retry: retry,
  ...(args && { parameters: redact(args) }),
})

/** A session in a list. `app` is the agent's name. */
export const summary = (
  row: SessionRow,
  app: string,
  { tenant }: Pick<Caller, 'tenant'>,
): JsonObject => ({
  id: row.session,
  session_id: row.session,
  sessionId: row.session,
  app_id: app,
  scope_id: tenant === LOCAL_TENANT ? null : tenant,
  kind: row.kind,
  title: row.title,
  tags: row.tags,
  status: row.status,
  message_count: row.messageCount,
  token_usage: {
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    total_tokens: row.inputTokens + row.outputTokens,
  },
  model: row.model ?? null,
  provider: row.provider ?? null,
  cost: dollars(row.cost),
  ...standing(row),
  ...(row.setAside !== undefined && {
    set_aside: shownSetAside(parseExact(row.setAside) as SetAside),
  }), // written by the loop
  ...(row.unknownEffects > 0 && { unknown_effects: row.unknownEffects }),
  ...(row.parent && { parent_id: row.parent, forked_at: row.forkedAt ?? null }),
  created_at: iso(row.createdAt),
  updated_at: iso(row.updatedAt),
})

/** The open questions of a session, and the end of its last run. */
function standing({ state, lastEnd, standing: stands }: SessionRow): JsonObject {
  const lease = stateOf({ state })
  return {
    waiting: openAsks(lease).length,
    standing: stands ?? null,
    failed: lease.kind === 'idle' && lastEnd?.reason === 'error',
    ...(lastEnd && { last_end: { ...lastEnd, at: iso(lastEnd.at) } }),
  }
}

/** The status of a session without an active run, from the end of its last run. */
export function statusAfter(
  lastEnd: LastEnd | undefined,
): 'idle' | 'complete' | 'canceled' | 'error' {
  switch (lastEnd?.reason) {
    case undefined:
      return 'idle'
    case 'user_abort':
      return 'canceled'
    case 'error':
      return 'error'
    default:
      return 'complete'
  }
}

/** One session with its history. `seq` is the last entry, a place to fork at. */
export const details = (
  { row, state, asks, unknown, entries }: SessionView,
  app: string,
  caller: Pick<Caller, 'tenant'>,
): JsonObject => ({
  ...summary(row, app, caller),
  state,
  seq: row.head,
  metadata: metadataOf(row.meta),
  pending_input: asks.map(shownAsk),
  unknown_calls: unknown.map(shownUnknown),
  approvals: approvalsOf(entries),
  grants: grantsOf(entries, row.session),
  messages: messagesOf(entries),
})

const metadataOf = (meta: string): Json => parseExact(meta) as Json // written by the kernel
