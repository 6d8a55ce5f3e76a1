import {
  deadline,
  messageOf,
  within,
  type AgentBundle,
  type Generation,
  type SessionBundle,
  type SessionTurn,
} from '@amodal/sdk'
import { SessionBundles } from '@amodal/sdk/loop'

/** The time limit of a choice, ms: files that are not at hand have to be fetched and read. */
const CHOICE_MS = 30_000

/**
 * The files of a session's turn: those in use where nobody holds sessions to others. A choice that
 * fails is logged, and the turn takes the files in use.
 */
export async function chooseBundle(
  generation: Generation,
  current: AgentBundle,
  turn: Omit<SessionTurn, 'signal'>,
): Promise<SessionBundle> {
  const bundles = generation.scope.find(SessionBundles)
  if (!bundles) return { bundle: current }
  const limit = deadline(undefined, CHOICE_MS, 'choosing the files of a session')
  try {
    const { signal } = limit
    return await within(Promise.resolve(bundles.choose(current, { ...turn, signal })), signal)
  } catch (cause) {
    const message = messageOf(cause)
    generation.log.warn('session_bundle_not_chosen', { session: turn.session, message })
    return { bundle: current, changed: true }
  } finally {
    limit.clear()
  }
}
