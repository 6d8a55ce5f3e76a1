import { type BudgetName } from './budget.ts';
import { type CallId, type Counted, type JournalEntry, type JsonObject, type Message, type Usage, type Withheld } from '@amodal/sdk';
/**
 * The message history as a projection of the journal, in the provider's own form.
 * Applying a prefix of the entries gives the history as it stood then.
 */
export declare class History {
    #private;
    /** Another array once some of it is forgotten, so that whoever follows it begins anew. */
    messages: Message[];
    usage: Usage;
    /** Billionths of a dollar, where the prices were known. */
    cost: number;
    /** Of the run that the newest message began; calls by their place in it. */
    run: {
        tokens: number;
        cost: number;
        calls: ReadonlyMap<CallId, number>;
    };
    /** What plugins keep for the session; forgotten when it is cleared. */
    sessionState: JsonObject;
    readonly withheld: Withheld[];
    /** What the provider last counted. */
    counted: Counted | undefined;
    /** `context` of the newest message. */
    context: Readonly<Record<string, string>>;
    /** It holds entries that were never committed: to be folded anew. */
    stale: boolean;
    /** Exchanges before the newest that are in it. */
    readonly depth: number;
    constructor(depth?: number);
    /** Every call there has been: strict endpoints refuse a history that uses an id twice. */
    get callIds(): ReadonlySet<string>;
    /** About what it takes in memory, added up as entries are applied: for the cap of what stays resident. */
    get bytes(): number;
    /** What people have added to a budget. */
    granted(name: BudgetName): number;
    apply(entry: JournalEntry, seq: number): void;
    /** Gives every call without an outcome a synthetic one. Never called while a call waits for a person. */
    close(): void;
    /** The entry that all but the newest `keep` messages end with. */
    uptoOf(keep: number): number;
}
