import { slot, type Failure, type Lease, type PrincipalId, type Result } from '@amodal/sdk'

/**
 * The origin of a note: the person, or a text from outside (a page, a tool result, a summary).
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
  /** The principal in whose conversation it was noted. */
  readonly notedBy: PrincipalId
  /** ISO 8601. */
  readonly at: string
}

export type MemoryDraft = Pick<Memory, 'id' | 'text' | 'origin'>

/** The outcome of adding a note: `kept`, `known` (this id has the same text), or `full`. */
export type AddOutcome =
  | { readonly kind: 'kept' | 'known'; readonly id: string }
  | { readonly kind: 'full'; readonly limit: number; readonly of: 'notes' | 'characters' }

/**
 * The notes of one owner: a principal of a tenant, or the whole tenant if they are shared. The
 * store is bound to its owner. A write checks the session's lease before it commits.
 */
export interface MemoryStore {
  /** Idempotent by id, so that a retried call adds one note. */
  add(draft: MemoryDraft, signal: AbortSignal, lease?: Lease): Promise<Result<AddOutcome, Failure>>
  /** The oldest first. */
  list(signal: AbortSignal): Promise<Result<readonly Memory[], Failure>>
  /** `false`: there was no such note. */
  remove(id: string, signal: AbortSignal, lease?: Lease): Promise<Result<boolean, Failure>>
  /** All of them; how many there were. */
  clear(signal: AbortSignal): Promise<Result<number, Failure>>
}
export const MemoryStore = slot.session<MemoryStore>('memory-store')
