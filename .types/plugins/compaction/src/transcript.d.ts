import type { Message } from '@amodal/sdk';
/** Messages as text of at most so many characters: results are shortened first, then the middle is left out. */
export declare function transcript(messages: readonly Message[], most: number): string;
/** The beginning and the end of a text. */
export declare function shortened(text: string, most: number): string;
