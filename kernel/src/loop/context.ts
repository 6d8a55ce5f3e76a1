import type { AgentEvent } from '../events.ts'
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { Lease } from '../journal/lease.ts'
import type { AgentBundle } from '../ports/bundle.ts'
import type { Logger } from '../ports/log.ts'
import type { Slot } from '../token.ts'
import type { JsonObject, Message, Usage } from '../messages.ts'
import type { Withheld } from '../ports/tool.ts'

/** What a tap may know of the run it is called in. */
export interface RunContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  /** What the principal may do, as it was when the run was asked for. */
  readonly roles: readonly string[]
  readonly bundle: AgentBundle
  readonly step: number
  readonly usage: Usage
  /** The conversation as the model sees it, this run included. */
  readonly messages: readonly Message[]
  /** What plugins keep for the session, by a key of their own; written with `sessionState` of a tool's result or of a message. */
  readonly sessionState: JsonObject
  /** What was taken out of results of this session. */
  readonly withheld: readonly Withheld[]
  readonly lease: Lease
  /** Aborts on cancel, on a lost lease and on the deadline of the run. */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly scope: { get<T>(token: Slot<T>): T; find<T>(token: Slot<T>): T | undefined }
  /** Progress on the live stream; facts are entries. */
  readonly progress: (event: AgentEvent) => void
}
