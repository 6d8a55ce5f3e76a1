import type { JsonObject } from '@amodal/kernel';
export type VerdictLevel = 'allow' | 'confirm' | 'review' | 'deny';
export declare const VERDICT_ORDER: Readonly<Record<VerdictLevel, number>>;
/** What the guards say of a call. It is only ever raised. */
export interface Verdict {
    readonly level: VerdictLevel;
    readonly reasons: readonly string[];
    /** For the person who decides: endpoint, method, what it does. */
    readonly context: JsonObject;
    raise(level: VerdictLevel, reason: string, context?: JsonObject): Verdict;
}
export declare function verdict(level?: VerdictLevel, reasons?: readonly string[], context?: JsonObject): Verdict;
