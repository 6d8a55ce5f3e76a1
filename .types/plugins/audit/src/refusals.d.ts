import { type AuditTrail, type Clock, type RefusalListener } from '@amodal/sdk';
/** Who was turned away at the door. */
export declare function refusals(trail: AuditTrail, clock: Clock): {
    readonly hear: RefusalListener;
    readonly open: () => void;
    readonly close: () => void;
};
