import { type AuditDraft } from '@amodal/sdk';
/** The hash that the first line of a chain follows. */
export declare const GENESIS: string;
/** One line of a tenant's chain. `body` is what is hashed: canonical JSON (RFC 8785) of all that the line says. */
export interface AuditLine {
    readonly n: number;
    readonly key: string;
    readonly session: string | undefined;
    readonly body: string;
    readonly hash: string;
}
/** The end of a chain. */
export interface Head {
    readonly n: number;
    readonly hash: string;
}
export declare const EMPTY: Head;
export declare const hashOfLine: (previous: string, body: string) => string;
/** The lines that continue a chain. */
export declare function chained({ n, hash }: Head, drafts: readonly AuditDraft[]): readonly AuditLine[];
/** Each fact once: what is live and what is caught up with may travel together. */
export declare function once(drafts: readonly AuditDraft[]): readonly AuditDraft[];
