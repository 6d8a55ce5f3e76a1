import type { AgentEvent } from '../events.ts'
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { Lease } from '../journal/lease.ts'
import type { AgentBundle } from '../ports/bundle.ts'
import type { Logger } from '../ports/log.ts'
import type { Slot } from '../token.ts'
import type { Usage } from '../messages.ts'

/** What a tap may know of the run it is called in. */
export interface RunContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  readonly bundle: AgentBundle
  readonly step: number
  readonly usage: Usage
  readonly lease: Lease
  /** Aborts on cancel, on a lost lease and on the deadline of the run. */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly scope: { get<T>(token: Slot<T>): T; find<T>(token: Slot<T>): T | undefined }
  /** Progress on the live stream; facts are entries. */
  readonly progress: (event: AgentEvent) => void
}
