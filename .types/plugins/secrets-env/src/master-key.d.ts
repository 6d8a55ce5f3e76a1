import { type Failure, type Result } from '@amodal/sdk';
export declare const KEY_VARIABLE = "AMODAL_MASTER_KEY";
/** The key that every session's key is derived from. */
export interface MasterKey {
    readonly bytes: Uint8Array;
    /** Tells two keys apart without telling the key. */
    readonly id: string;
    readonly from: 'environment' | 'file' | 'memory';
    /** The key's file may be read by others than its owner. */
    readonly exposed?: true;
}
/** 32 bytes in hex or base64, either alphabet. */
export declare function keyFromText(text: string): Result<MasterKey, Failure>;
/** For a process that keeps nothing sealed beyond its own life. */
export declare const keyInMemory: () => MasterKey;
/** Reads the key's file, or makes it with a new key. */
export declare function keyFromFile(file: string): Result<MasterKey, Failure>;
