import { LOCAL_TENANT, NANO, redact, type Caller, type Json, type JsonObject, type PendingAsk, type SessionRow, type SessionView } from '@amodal/sdk'
import { messagesOf } from './history.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

/** `null` where no price is known. */
export const dollars = (cost: number | undefined): number | null => (cost === undefined ? null : cost / NANO)

/** A question that waits, as clients see it. */
export const shownAsk = ({ id, type, call, schema, context, expires_at }: PendingAsk): JsonObject => ({
  id, ...(call && { tool_id: call }), pending_input_type: type, pending_input_schema: schema, pending_input_context: redact(context),
  ...(expires_at !== undefined && { expires_at: iso(expires_at) }),
})

/** A session in a list. `app` is the agent's name. */
export const summary = (row: SessionRow, app: string, { tenant }: Pick<Caller, 'tenant'>): JsonObject => ({
  id: row.session, session_id: row.session, sessionId: row.session, app_id: app, scope_id: tenant === LOCAL_TENANT ? null : tenant,
  title: row.title, tags: row.tags, status: row.status, message_count: row.messageCount,
  token_usage: { input_tokens: row.inputTokens, output_tokens: row.outputTokens, total_tokens: row.inputTokens + row.outputTokens },
  model: row.model ?? null, provider: null, cost: dollars(row.cost),
  ...(row.parent && { parent_id: row.parent, forked_at: row.forkedAt ?? null }),
  created_at: iso(row.createdAt), updated_at: iso(row.updatedAt),
})

/** One session with its history. `seq` is the last entry, a place to fork at. */
export const details = ({ row, state, asks, entries }: SessionView, app: string, caller: Pick<Caller, 'tenant'>): JsonObject => ({
  ...summary(row, app, caller), state, seq: row.head, metadata: metadataOf(row.meta), pending_input: asks.map(shownAsk), messages: messagesOf(entries),
})

const metadataOf = (meta: string): Json => JSON.parse(meta) as Json // written by the kernel
