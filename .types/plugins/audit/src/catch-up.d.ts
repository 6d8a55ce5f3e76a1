import { type AuditTrail, type SessionStore } from '@amodal/sdk';
import type { ChainStore } from './store.ts';
/** What the journal knows and the audit log does not, since a process died between the two: written now. Lines that are there add nothing. */
export declare function catchUp(store: ChainStore, sessions: SessionStore, trail: AuditTrail, now: number, signal: AbortSignal): Promise<void>;
