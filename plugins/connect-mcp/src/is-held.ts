import type { Lease } from '@amodal/sdk'

/** Whether a call may still be made under a lease; what needs none always may. */
export const isHeld = (lease: Lease | undefined): boolean =>
  lease === undefined || lease.remainingMs() > lease.margin
