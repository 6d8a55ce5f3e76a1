import type { SessionId, TenantId } from '../ids.ts'
import type { Result } from '../result.ts'
import type { Failure } from '../errors.ts'
import { slot } from '../token.ts'

/** Encrypts the part of an entry that resuming needs and nobody may read (AES-256-GCM, a key per session). */
export interface Sealer {
  seal(at: { readonly tenant: TenantId; readonly session: SessionId }, text: string): Result<string, Failure>
  open(at: { readonly tenant: TenantId; readonly session: SessionId }, sealed: string): Result<string, Failure>
}
export const Sealer = slot.kernel<Sealer>('sealer')
