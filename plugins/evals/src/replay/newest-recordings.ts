import { ok, type Failure, type Result, type SessionStore, type TenantId } from '@amodal/sdk'
import { findSessions } from '../command/session-query.ts'
import { ofKind, readRecording, readStored, type Recording } from './recording.ts'

/**
 * The journals of the sessions that were used last, with those of their sub-agents. Sessions
 * without a message are left out: there is nothing to replay.
 *
 * @param limit how many sessions are read
 * @returns the newest first; the failure of the store where one of them cannot be read
 * @example
 * const recordings = await newestRecordings(store, LOCAL_TENANT, 20, signal)
 */
export async function newestRecordings(
  store: SessionStore,
  tenant: TenantId,
  limit: number,
  signal: AbortSignal,
): Promise<Result<readonly Recording[], Failure>> {
  const read = readStored(store, tenant, signal)
  const query = { since: undefined, tags: [], words: [] }
  const found = await findSessions(store, tenant, query, { limit, read, signal })
  if (!found.ok) return found
  const recordings: Recording[] = []
  for (const session of found.value) {
    const recording = await readRecording(read, session)
    if (!recording.ok) return recording
    if (ofKind(recording.value.entries, 'user_message').length > 0) recordings.push(recording.value)
  }
  return ok(recordings)
}
