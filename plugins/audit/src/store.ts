import type { AuditDraft, Failure, Result, TenantId } from '@amodal/sdk'
import type { AuditLine } from './line.ts'
import type { SealedHead } from './seal.ts'

/** Which lines of a chain to read, in the order of the chain. */
export interface Range {
  readonly after?: number
  readonly session?: string
  readonly limit: number
}

/** Where chains are kept, one per tenant. */
export interface ChainStore {
  /** Continues the chain; drafts whose key exists already are skipped. Returns the new lines. */
  append(
    tenant: TenantId,
    drafts: readonly AuditDraft[],
    signal: AbortSignal,
  ): Promise<Result<readonly AuditLine[], Failure>>
  read(
    tenant: TenantId,
    range: Range,
    signal: AbortSignal,
  ): Promise<Result<readonly AuditLine[], Failure>>
  /** The end of the chain as the store records it; a verifier compares it with the lines. */
  head(tenant: TenantId, signal: AbortSignal): Promise<Result<SealedHead, Failure>>
  tenants(signal: AbortSignal): Promise<Result<readonly TenantId[], Failure>>
}
