import type { Json } from '@amodal/sdk';
import type { Field } from './schema.ts';
export declare const quotedIn: (text: string) => readonly string[];
export declare const datesIn: (text: string) => readonly string[];
export declare const emailsIn: (text: string) => readonly string[];
export declare const addressesIn: (text: string) => readonly string[];
export declare const idsIn: (text: string) => readonly string[];
export declare const numbersIn: (text: string) => readonly number[];
/** A text without the words that only ask for an order: "sorted by opened_at" names no state. */
export declare const withoutOrder: (text: string) => string;
/** Whether a text says what is not meant; what it names then narrows nothing. */
export declare const isNegated: (text: string) => boolean;
/** The value of a listed set that a text names, the longest name first. */
export declare function namedValues(values: readonly string[], text: string): readonly string[];
/** Whether a text names a flag, and does not deny it. `undefined`: it does not speak of it. */
export declare function flagIn(name: string, text: string): boolean | undefined;
/** A piece of text as a value for a field; `undefined` where it cannot be one. */
export declare function coerce(field: Field, raw: string): Json | undefined;
export declare function inRange(field: Field, number: number): boolean;
/** A text in the format its field asks for. */
export declare function formatted(field: Field, text: string): string | undefined;
