import { type EffectInDoubt, type EffectTarget, type InnerCall, type JournalEntry, type PreparedCall, type RunId, type ToolResult } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** `doubts`: effects that may have happened although nobody said so. */
export interface Performed {
    readonly result: ToolResult;
    readonly ms: number;
    readonly doubts: readonly EffectInDoubt[];
    /** The model sees it in this run only. */
    readonly ephemeral?: boolean;
}
/** Calls that a tool makes of others while it runs: they end with it. */
export type CallInner = (inner: InnerCall, signal: AbortSignal) => Promise<Pick<Performed, 'result' | 'doubts'>>;
/**
 * Runs one call with its deadline and cleans what it gives: scrub → `tool.result` → `tool.done`. Never throws.
 *
 * @param how `until`: ends it before its own deadline, such as the call that makes this one; left out: the turn.
 *   `run`: the earlier run that made this very call, whose key it carries; left out: this run
 */
export declare function perform(call: PreparedCall, turn: LoopTurn, inner: CallInner, how?: {
    readonly until?: AbortSignal;
    readonly run?: RunId;
}): Promise<Performed>;
/** Where a call goes, as its intent and its outcome say. */
export declare const targetOf: ({ action }: PreparedCall) => EffectTarget | undefined;
/** The outcome entry of a call that ran. Questions have none until they are answered. */
export declare function outcome(call: PreparedCall, result: Exclude<ToolResult, {
    status: 'asks';
}>, { ms, doubts, ephemeral }: Performed, turn: LoopTurn): JournalEntry;
