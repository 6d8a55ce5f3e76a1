import { isId, sessionId, sha256, type SessionId } from '@amodal/kernel'
import type { Caller } from '../ports/agent.ts'

/** How ids of sessions begin that the server has made. */
const OURS = 'sess_'

/**
 * The session for the name that a client gave its conversation (a chat id, a thread id). The same
 * principal of the same tenant always gets the same session, and no other principal gets it. The id
 * of an existing session stands for that session.
 *
 * @param thread what the client calls it, of any length
 * @returns `isDerived: false`: the client named an existing session; otherwise the session may have
 *   to be created (`SendRequest.create`)
 * @example
 * sessionOfThread(caller, 'chat-7') // { session: 'sess_1f0c…', isDerived: true }
 */
export function sessionOfThread(
  { tenant, principal }: Pick<Caller, 'tenant' | 'principal'>,
  thread: string,
): { readonly session: SessionId; readonly isDerived: boolean } {
  if (thread.startsWith(OURS) && isId(thread))
    return { session: sessionId(thread), isDerived: false }
  const name = sha256(JSON.stringify(['thread', tenant, principal, thread])).slice(0, 24)
  return { session: sessionId(`${OURS}${name}`), isDerived: true }
}
