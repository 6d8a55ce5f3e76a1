import { type AgentEvent, type JournalEntry } from '@amodal/sdk';
/**
 * The events that an entry makes true. They are sent after the commit, and again on a replay;
 * `told` is set while the run is live, where the text and the starts of calls have gone out already.
 */
export declare function project(entry: JournalEntry, told: boolean): readonly AgentEvent[];
/** What clients may know of an outcome: of a private one that it is there, and no part that is for the model alone. */
export declare function publicOf<E extends JournalEntry>(entry: E): E;
