import type { AgentState, CallId, CallState, EffectInDoubt, LaneState, Placed, RunId, RunRecord } from '@amodal/sdk';
/** What a target knows a repeat of a call by: the same on every try. */
export declare const keyOf: (run: RunId, call: CallId) => string;
/** What is known of an effect that was in flight when its process died: its intent. */
export declare function doubtsOf(call: CallId, run: RunId, entries: readonly Placed[]): readonly EffectInDoubt[];
/** How a run goes on from its last commit. `unknown`: effects in flight that may or may not have happened. */
export interface Recovery {
    readonly state: AgentState;
    readonly unknown: readonly CallState[];
}
/**
 * Model calls are made again; a read-only call has left no trace and is made again; an effect in flight is made
 * again where its target drops a repeat, and otherwise never.
 */
export declare function recover({ record, state }: Extract<LaneState, {
    kind: 'run';
}>, entries: readonly Placed[]): Recovery;
/** One more crash that the run has been through. They are for people to read: what decides is counted in the session store. */
export declare function counted(record: RunRecord, now: number): RunRecord;
