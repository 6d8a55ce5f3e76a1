import type { RunEvent } from '../events.ts'
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { Lease } from '../journal/lease.ts'
import type { Logger } from '../ports/log.ts'
import type { Slot } from '../token.ts'
import type { Usage } from '../usage.ts'

/** Accepts events; a loop narrows the type, which a method type allows. */
export type Progress<E extends RunEvent = RunEvent> = { push(event: E): void }['push']

/** The context of a run, for taps. A loop adds its own fields. */
export interface TurnContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  /** Roles of the principal at the time of the request. */
  readonly roles: readonly string[]
  /** `true`: the run belongs to another run and acts on the principal's behalf. */
  readonly delegated?: boolean
  readonly step: number
  readonly usage: Usage
  readonly lease: Lease
  /**
   * Aborts on cancel, on a lost lease, on the deadline of the run, on a handover to the next
   * generation, and when the run stands still.
   */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly scope: { get<T>(token: Slot<T>): T; find<T>(token: Slot<T>): T | undefined }
  /** Progress on the live stream; what must last is an entry. */
  readonly progress: Progress
}
