import { type Failure, type JsonObject, type Result } from '@amodal/sdk';
/** `AMODAL_AUDIT_KEY`: an Ed25519 private key in PEM (PKCS 8), where several instances sign with one. */
export declare const KEY_VARIABLE = "AMODAL_AUDIT_KEY";
/** Public keys that may sign, one per line, as base64 of their SPKI DER. */
export declare const SIGNERS = "signers";
/** Signs heads and checkpoints in the name of one folder of checkpoints. */
export declare class Signer {
    #private;
    readonly folder: string;
    /** Names the file of checkpoints that this folder holds. It outlives the process, and a file that was removed. */
    readonly writer: string;
    /** Names this process among those that share the folder. */
    readonly process: string;
    /** The public key. */
    readonly key: string;
    private constructor();
    /** Makes what is missing of the folder: its key, its name, its list of signers. */
    static open(folder: string, given: string | undefined): Result<Signer, Failure>;
    /** @returns the signature in base64, over the canonical JSON of what is said */
    sign(said: JsonObject): string;
    /** This key, and those that the folder lists. */
    knows(key: string): boolean;
}
export declare function isSignedBy(key: string, said: JsonObject, signature: string): boolean;
/** The public key of a private one in PEM; `undefined` where it cannot be read. */
export declare function signerOf(pem: string): string | undefined;
export declare function readSigners(folder: string): ReadonlySet<string>;
export declare function addSigner(folder: string, key: string): void;
