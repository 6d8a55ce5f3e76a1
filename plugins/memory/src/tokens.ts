import { slot, type Failure, type Lease, type PrincipalId, type Result } from '@amodal/sdk'

/**
 * Who said it: somebody in the conversation, or a text that came from outside (a page, a result of
 * a tool, a summary).
 */
export type MemoryOrigin =
  | { readonly by: 'person' }
  /** `from`: the tools whose results the conversation held. */
  | { readonly by: 'outside'; readonly from: readonly string[] }

/** A note that the agent keeps. */
export interface Memory {
  /** Unique among the notes of its owner. */
  readonly id: string
  /** One line. */
  readonly text: string
  readonly origin: MemoryOrigin
  /** In whose conversation it was noted. */
  readonly notedBy: PrincipalId
  /** ISO 8601. */
  readonly at: string
}

export type MemoryDraft = Pick<Memory, 'id' | 'text' | 'origin'>

/** What became of a note: `kept`, `known` (the same text is there under this id), or `full`. */
export type Noted =
  | { readonly kind: 'kept' | 'known'; readonly id: string }
  | { readonly kind: 'full'; readonly limit: number }

/**
 * The notes of one owner: a principal of a tenant, or all of the tenant where they are shared. No
 * method names either. A lease is that of the session that it is done for, and is read once more
 * before it is committed.
 */
export interface MemoryStore {
  /** The same id again changes nothing, so that a call that is repeated notes once. */
  add(draft: MemoryDraft, signal: AbortSignal, lease?: Lease): Promise<Result<Noted, Failure>>
  /** The oldest first. */
  list(signal: AbortSignal): Promise<Result<readonly Memory[], Failure>>
  /** `false`: there was no such note. */
  remove(id: string, signal: AbortSignal, lease?: Lease): Promise<Result<boolean, Failure>>
  /** All of them; how many there were. */
  clear(signal: AbortSignal): Promise<Result<number, Failure>>
}
export const MemoryStore = slot.session<MemoryStore>('memory-store')
