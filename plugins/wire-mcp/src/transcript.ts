import {
  OUTCOME_SETTLED,
  redact,
  trySync,
  type Json,
  type JsonObject,
  type SequencedEntry,
  type SessionRow,
  type SessionView,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { shownAsk } from './turn-result.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

/** A session in a list. */
export const summary = (row: SessionRow): JsonObject => ({
  session_id: row.session,
  title: row.title,
  tags: row.tags,
  message_count: row.messageCount,
  ...(row.lastEnd && { last_end: row.lastEnd.reason }),
  created_at: iso(row.createdAt),
  updated_at: iso(row.updatedAt),
})

/** A session with what was said in it and what it waits for. */
export const transcript = ({ row, state, asks, entries }: SessionView): JsonObject => ({
  ...summary(row),
  state,
  seq: row.head,
  messages: messagesOf(entries),
  ...(asks.length > 0 && { pending: asks.map(shownAsk) }),
})

/** What was said and called since the conversation was cleared. */
function messagesOf(entries: readonly SequencedEntry[]): readonly JsonObject[] {
  const cleared =
    entries.findLast((entry) => entry.kind === 'compacted' && entry.cause === 'clear')?.seq ?? 0
  return entries
    .filter(({ seq }) => seq > cleared)
    .flatMap((entry): readonly JsonObject[] => {
      switch (entry.kind) {
        case 'user_message':
          return [{ role: 'user', text: entry.text, at: iso(entry.at) }]
        case 'model_reply':
          return [
            {
              role: 'assistant',
              text: entry.text,
              at: iso(entry.at),
              ...(entry.calls.length > 0 && {
                tool_calls: entry.calls.map(({ id, name, input }) => ({
                  tool_id: id,
                  tool_name: name,
                  args: argsOf(input),
                })),
              }),
            },
          ]
        case 'tool_outcome':
          return [
            {
              role: 'tool',
              tool_id: entry.call,
              tool_name: entry.name,
              status: entry.status,
              ...(entry.private !== true && { result: entry.output }),
            },
          ]
        case 'child_closed':
          return [
            { role: 'tool', tool_id: entry.call, status: entry.status, result: entry.summary },
          ]
        case 'note':
          return entry.code === OUTCOME_SETTLED ? [] : noteOf(entry)
        default:
          return []
      }
    })
}

const noteOf = ({ code, text }: { readonly code: string; readonly text: string }) =>
  code === 'warning' ? [{ role: 'note', text }] : []

function argsOf(input: string): Json {
  const parsed = trySync(
    () => parseExact(input) as Json, // as a model wrote it
    () => undefined,
  )
  return parsed.ok ? redact(parsed.value) : {}
}
