import { slot, type JsonObject, type SessionId, type TenantId } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'

/** The turn of a session that files are chosen for. */
export interface SessionTurn {
  readonly tenant: TenantId
  readonly session: SessionId
  /** The state of the session, with that of the message of this turn. */
  readonly sessionState: JsonObject
  /** Whether the turn begins the session. */
  readonly opensSession: boolean
  readonly signal: AbortSignal
}

/** The files of a session. */
export interface SessionBundle {
  readonly bundle: AgentBundle
  /** Joins the state of the session with the message of this turn; ignored where it resumes. */
  readonly sessionState?: JsonObject
  /** The session began with other files, which are not to be had: a note in the journal says so. */
  readonly changed?: boolean
}

/**
 * Holds sessions to the files with which they began, while new sessions take newer ones. Without a
 * provider every turn takes the files that are in use when it begins.
 */
export interface SessionBundles {
  /**
   * Called before the roles of the caller are applied. Equal choices must return the same object.
   *
   * @param current the files in use
   */
  choose(current: AgentBundle, turn: SessionTurn): SessionBundle | Promise<SessionBundle>
  /**
   * The bundles that sessions still use, beside the one in use: what plugins have made of them,
   * such as connections, is not to be released. Empty where no session is held to anything.
   */
  held(): readonly AgentBundle[]
}

export const SessionBundles = slot.kernel<SessionBundles>('session-bundles')
