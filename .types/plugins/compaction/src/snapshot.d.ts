import { type Message } from '@amodal/sdk';
/** What a conversation has come to, by kind. The order is that of the text. */
export declare const KINDS: readonly ['requests', 'preferences', 'findings', 'hypotheses', 'entities', 'done', 'open'];
export type Kind = (typeof KINDS)[number];
export type Snapshot = Readonly<Record<Kind, readonly string[]>>;
export declare const EMPTY: Snapshot;
/** An item is one line, so that a snapshot can be read back. */
export declare function item(text: string): string;
/**
 * What was kept stays, whatever the newer one says of it, but for guesses and tasks that are named as settled. So nothing
 * that was found is lost because a summary forgot it.
 */
export declare function merged(kept: Snapshot, newer: Snapshot, settled: readonly string[]): Snapshot;
/** As much of a snapshot as fits into so many characters. */
export declare function fitting(snapshot: Snapshot, chars: number): Snapshot;
/** A snapshot as it stands in the conversation. Much of it is of tools and strangers, so it is told as that. */
export declare function summaryOf(snapshot: Snapshot): string;
/** The snapshot that a conversation begins with, where it was compacted before. */
export declare function snapshotIn(first: Message | undefined): Snapshot | undefined;
