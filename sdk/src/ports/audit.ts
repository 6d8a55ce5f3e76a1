import {
  slot,
  type Failure,
  type Json,
  type PrincipalId,
  type Result,
  type RunId,
  type SessionId,
  type TenantId,
} from '@amodal/kernel'

/** What happened, before it has its place in the chain. */
export interface AuditDraft {
  readonly tenant: TenantId
  /** The same key again is the same fact, and adds nothing. */
  readonly key: string
  readonly kind: string
  /** ms since the epoch. */
  readonly at: number
  readonly principal?: PrincipalId
  readonly session?: SessionId
  readonly run?: RunId
  readonly data?: Readonly<Record<string, Json>>
}

/** Where everything that matters is written down, so that a later change shows. */
export interface AuditTrail {
  /** Kept soon: lines are written together, and again until they are kept. */
  record(draft: AuditDraft): void
  /** Kept once this resolves well. */
  write(draft: AuditDraft, signal: AbortSignal): Promise<Result<void, Failure>>
}
export const AuditTrail = slot.kernel<AuditTrail>('audit-trail')
