import { type AuditTrail, type Clock, type HookTaps } from '@amodal/sdk';
/** Where the lines come from. */
export declare function auditHooks({ tool, journal, session }: HookTaps, trail: AuditTrail, clock: Clock): void;
