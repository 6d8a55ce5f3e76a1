import { type InboxBody, type RunRecord } from '@amodal/sdk';
interface Beginning {
    /** The last entry before it. */
    readonly head: number;
    readonly bundle: string;
    /** Turns where the request asks for none, and at most. */
    readonly maxTurns: number;
    /** ms since the epoch. */
    readonly now: number;
    /** Somebody may have died of this message before. */
    readonly again: boolean;
}
/** What the lane keeps of a run that begins with this message. */
export declare function newRun(body: InboxBody, { head, bundle, maxTurns: most, now, again }: Beginning): RunRecord;
export {};
