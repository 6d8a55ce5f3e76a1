import { type JournalEntry } from '@amodal/sdk';
import type { Reader, Review } from './review.ts';
/**
 * An entry as it is kept: texts that leave, and what was asked of tools, without what may not leave. What a tool answered
 * stays as the model has to see it, and what a person wrote stays theirs.
 */
export declare function keptEntry<E extends JournalEntry>(entry: E, review: Review, reader: Reader): E;
/** The same for whoever reads a session from outside: what tools answered is looked at as well. */
export declare function shownEntry<E extends JournalEntry>(entry: E, review: Review, reader: Reader): E;
