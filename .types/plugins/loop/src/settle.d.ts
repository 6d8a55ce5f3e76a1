import { type CallId, type JournalEntry, type Json, type JsonObject, type Note, type OutcomeStatus, type Placed, type Settlement, type ToolIntent, type ToolOutcome } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** An effect whose outcome is unknown, as far as the journal knows it. */
export interface UnknownEffect {
    readonly outcome: Placed<ToolOutcome>;
    /** What was sent, where it got that far. */
    readonly intent: Placed<ToolIntent> | undefined;
    /** How a person settled it. */
    readonly settled: Placed<Note> | undefined;
}
/** What the note of a settled effect holds. */
export interface SettledData extends JsonObject {
    readonly call: string;
    readonly name: string;
    readonly settlement: Settlement;
    readonly by: string;
    /** Of an effect that was made again. */
    readonly status?: OutcomeStatus;
    /** What came of making it again. The text of a note reaches the model as the product's own words, so this is not in it. */
    readonly result?: Json;
}
/** All effects of a session whose outcome was or is unknown, the oldest first. */
export declare function unknownEffects(entries: readonly Placed[]): readonly UnknownEffect[];
export declare const unknownEffect: (entries: readonly Placed[], call: CallId) => UnknownEffect | undefined;
/** Why an effect cannot be made again; `undefined` where it can. */
export declare const noRetry: ({ intent }: UnknownEffect) => string | undefined;
/**
 * Records how a person settled an effect of unknown outcome. `retry` makes it again: the same arguments under the same
 * key, through the guards, so that it counts once wherever it had arrived before.
 *
 * @param entries of the whole session
 * @returns nothing where it was settled meanwhile, or the retry has no certain outcome either
 */
export declare function settleEffect(call: CallId, settlement: Settlement, entries: readonly Placed[], turn: LoopTurn): Promise<readonly JournalEntry[]>;
