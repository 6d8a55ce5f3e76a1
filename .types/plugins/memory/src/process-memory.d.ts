import { type Failure, type PrincipalId, type Result } from '@amodal/sdk';
import type { Memory, MemoryDraft, MemoryStore, Noted } from './tokens.ts';
/** Notes by owner, for an agent without a database: they go with the process. */
export type Notes = Map<string, readonly Memory[]>;
export declare class ProcessMemory implements MemoryStore {
    #private;
    /** @param owner tenant and owner, as one key of `notes` */
    constructor(notes: Notes, owner: string, notedBy: PrincipalId, limit: number);
    add(draft: MemoryDraft): Promise<Result<Noted, Failure>>;
    list(): Promise<Result<readonly Memory[], Failure>>;
    remove(id: string): Promise<Result<boolean, Failure>>;
    clear(): Promise<Result<number, Failure>>;
}
