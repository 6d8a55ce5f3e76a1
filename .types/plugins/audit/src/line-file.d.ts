import { type Failure, type Result, type TenantId } from '@amodal/sdk';
import type { AuditLine } from './line.ts';
import type { ChainStore } from './store.ts';
/** A line as a file holds it; of one that was erased the hash alone. */
export interface FiledLine {
    readonly tenant: TenantId;
    readonly n: number;
    readonly body: string;
    readonly hash: string;
}
export declare const filed: ({ n, body, hash }: AuditLine, tenant: TenantId) => string;
export declare function readFiled(text: string): FiledLine | undefined;
/** Every line is added to a file too. Of each chain it has all lines in order: what it lacks is taken from the store first. */
export declare class LineFile {
    #private;
    /** @param resumes whether the chains go on where an earlier process ended, so that the file does too */
    constructor(file: string, store: ChainStore, resumes: boolean);
    /** @throws what the file system says */
    add(tenant: TenantId, lines: readonly AuditLine[]): Promise<void>;
    /** Adds what a process that died did not. */
    catchUp(): Promise<void>;
    /** Reads chains anew that an erasure has changed: what is in them no more is in the file no more. */
    erase(tenants: readonly TenantId[]): Promise<Result<void, Failure>>;
}
/** The lines of a file; nothing where there is none. `whole` is false for one that does not end. */
export declare function textLines(file: string): AsyncGenerator<{
    readonly text: string;
    readonly whole: boolean;
}>;
