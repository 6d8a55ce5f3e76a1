import { Database, sessionId, type ToolOutcome } from '@amodal/sdk'
import type { Door } from '../../security/support/door.ts'

/** What the journal keeps of the calls of a session, straight from the database. */
export async function outcomesOf(door: Door, session: string): Promise<readonly ToolOutcome[]> {
  const sql =
    'select body from sessions_entry join sessions_lane using (lane) where session = $1 order by seq'
  const rows = await door.running.kernel.scope
    .get(Database)
    .run({ sql, parameters: [sessionId(session)] }, AbortSignal.timeout(10_000))
  if (!rows.ok) throw new Error(rows.error.message)
  const entries = rows.value.map(
    ({ body }) => JSON.parse(String(body)) as { readonly kind: string },
  ) // entries, as the kernel wrote them
  return entries.filter((entry): entry is ToolOutcome => entry.kind === 'tool_outcome')
}
