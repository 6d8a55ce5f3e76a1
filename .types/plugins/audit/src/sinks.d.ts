import { type Logger, type TenantId } from '@amodal/sdk';
import type { AuditLine } from './line.ts';
import type { LineFile } from './line-file.ts';
/** Told of a line once it is kept: its text, as JSON, and the hash that seals it. */
export type TakeLine = (line: {
    readonly body: string;
    readonly hash: string;
}) => void;
interface Sinks {
    readonly file: LineFile | undefined;
    readonly log: boolean;
    readonly onLine?: TakeLine | undefined;
}
/** Copies of the chain for other eyes. The chain does not wait for them. */
export declare class LineSinks {
    #private;
    constructor(sinks: Sinks, log: Logger);
    take(tenant: TenantId, lines: readonly AuditLine[]): void;
    /** What an earlier process did not write any more. */
    catchUp(): void;
    /** Resolves once all that was taken is written. */
    flush(): Promise<void>;
}
export {};
