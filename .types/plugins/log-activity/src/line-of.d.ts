import { type JournalEntry } from '@amodal/sdk';
interface Line {
    readonly event: string;
    readonly facts: Readonly<Record<string, unknown>>;
}
/** What the log says of a journal entry: names, sizes and outcomes. The words of people, models and tools stay in the journal. */
export declare function lineOf(entry: JournalEntry): Line | undefined;
export {};
