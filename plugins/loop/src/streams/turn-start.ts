import {
  type SessionRecord,
  ok,
  type Failure,
  readEntries,
  type Result,
  type SessionStore,
} from '@amodal/sdk'

/** The number of newest entries to read first; each further read has ten times as many. */
const FIRST_LOOK = 100

/** The entry before the run of an accepted message; the head if its run has not begun. */
export async function turnStartOf(
  key: string,
  sessionRecord: SessionRecord,
  store: SessionStore,
  signal: AbortSignal,
): Promise<Result<number, Failure>> {
  const inbox = sessionRecord.messages > 0 ? await store.inbox(sessionRecord, signal) : ok([])
  if (!inbox.ok) return inbox
  if (inbox.value.some((item) => item.key === key)) return ok(sessionRecord.head)
  for (let upto = sessionRecord.head, size = FIRST_LOOK; upto > 0; size *= 10) {
    const after = Math.max(0, upto - size)
    const stored = await store.entries(sessionRecord, { after, upto }, signal)
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) return entries
    const opening = entries.value.find(
      (entry) => entry.kind === 'user_message' && entry.key === key,
    )
    if (opening) return ok(opening.seq - 1)
    upto = after
  }
  return ok(sessionRecord.head)
}
