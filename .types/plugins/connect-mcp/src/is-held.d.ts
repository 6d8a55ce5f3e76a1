import type { Lease } from '@amodal/sdk';
/** Whether a call may still be made under a lease; what needs none always may. */
export declare const isHeld: (lease: Lease | undefined) => boolean;
