import type { FolderError } from './start.ts';
/** What went wrong at the start, where, and what to do: for a person at a terminal. */
export declare const explainStart: (error: FolderError) => string;
