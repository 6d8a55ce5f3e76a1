import type { Item } from '../timeline/index.ts'
import type { Grant, SessionSummary } from '../types.ts'

/** What a conversation shows now. */
export interface ConversationSnapshot {
  readonly session: string | undefined
  readonly items: readonly Item[]
  /**
   * `idle`: nothing runs; `waiting`: for a person; `away`: something runs or is to be sent, and the
   * server does not answer.
   */
  readonly state: 'loading' | 'idle' | 'running' | 'waiting' | 'away'
  /** The server has all messages that were sent. */
  readonly isDelivered: boolean
  /** What went wrong, for a person. */
  readonly problem: string | undefined
  /** The same with its code. */
  readonly error: Error | undefined
  /** Why it is set aside until a person decides. */
  readonly setAside: SessionSummary['set_aside']
  /** Approvals for the rest of the conversation. */
  readonly grants: readonly Grant[]
  /** The ask whose answer needs a credential that this client does not have. */
  readonly locked: string | undefined
}
