import { type Json, type JsonObject } from '@amodal/sdk';
import { type Clause } from './clause.ts';
import type { Token } from './word.ts';
/** What people asked for in a conversation, turn by turn, and what was done of it. */
export declare class Requests {
    #private;
    /** A person's message begins a turn; an answer of theirs belongs to the one that is. */
    told(text: string, begins: boolean): void;
    /** A call that was made and did not fail. */
    did(tool: string, args: Json): void;
    /** Whether this very call was made in this turn. */
    isRepeated(tool: string, args: JsonObject): boolean;
    /** What is asked for now: what was said since a call of this kind was made in an earlier turn. */
    clauses(tool: string, args: JsonObject): readonly Clause[];
    /** Every word that people said, text by text. */
    tokens(): readonly (readonly Token[])[];
    texts(): readonly string[];
}
