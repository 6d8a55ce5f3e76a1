import { type Failure, type Result, type Sealer, type SessionId, type TenantId } from '@amodal/sdk';
import type { MasterKey } from './master-key.ts';
interface At {
    readonly tenant: TenantId;
    readonly session: SessionId;
}
/**
 * Seals texts with AES-256-GCM under a key per session, derived from the master key by HKDF-SHA-256 (RFC 5869).
 * A sealed text says `v1.<id of the master key>.<nonce, cipher text and tag in base64url>`, and opens only for the
 * session it was sealed for. A random nonce is safe for 2^32 texts of one session (NIST SP 800-38D, 8.3).
 */
export declare class KeySealer implements Sealer {
    #private;
    constructor(key: () => Result<MasterKey, Failure>);
    seal(at: At, text: string): Result<string, Failure>;
    open(at: At, sealed: string): Result<string, Failure>;
}
export {};
