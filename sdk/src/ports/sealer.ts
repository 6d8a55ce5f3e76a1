import { slot, type Failure, type SessionRef, type Result } from '@amodal/kernel'

/**
 * Encrypts the part of an entry that is needed to resume a run and must not be readable
 * (AES-256-GCM, a key per session).
 */
export interface Sealer {
  seal(at: SessionRef, text: string): Result<string, Failure>
  open(at: SessionRef, sealed: string): Result<string, Failure>
  /**
   * 32 bytes that are derived from the master key for one purpose, such as signing links: the same
   * on every instance that has the same master key.
   *
   * @param purpose begins with the name of the plugin
   */
  key(purpose: string): Result<Uint8Array, Failure>
}
export const Sealer = slot.kernel<Sealer>('sealer')
