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
  /** Idempotency key: a record with a known key is ignored. */
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
  /**
   * Returns before the line is stored: lines are written in batches, with retries until they are
   * stored.
   */
  record(draft: AuditDraft): void
  /** Kept once this resolves well. */
  write(draft: AuditDraft, signal: AbortSignal): Promise<Result<void, Failure>>
}
export const AuditTrail = slot.kernel<AuditTrail>('audit-trail')
