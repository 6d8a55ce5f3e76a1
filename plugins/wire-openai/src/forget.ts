import { sleep, type AgentClient, type SessionId } from '@amodal/sdk'

/** Looks at whether the run has let go of its session, and ms between two. */
const LOOKS = 50
const LOOK_MS = 100

/**
 * Removes a session that was to be stored nowhere, once the turn is over. Never rejects: what a
 * process that dies leaves, expires with the other sessions.
 */
export async function forgetAfter(
  client: AgentClient,
  session: SessionId,
  key: string,
): Promise<void> {
  const frames = await client.follow(session, undefined, key)
  if (!frames.ok) return
  for await (const { event } of frames.value) if (event.type === 'done') break
  for (let look = 0; look < LOOKS; look++) {
    const removed = await client.remove(session)
    if (removed.ok || removed.error.code !== 'RUN_ACTIVE') return
    await sleep(LOOK_MS)
  }
}
