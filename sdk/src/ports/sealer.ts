import { slot, type Failure, type LaneRef, type Result } from '@amodal/kernel'

/**
 * Encrypts the part of an entry that resuming needs and nobody may read (AES-256-GCM, a key per
 * session).
 */
export interface Sealer {
  seal(at: LaneRef, text: string): Result<string, Failure>
  open(at: LaneRef, sealed: string): Result<string, Failure>
}
export const Sealer = slot.kernel<Sealer>('sealer')
