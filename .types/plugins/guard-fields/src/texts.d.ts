import { type FieldRestriction, type Json } from '@amodal/sdk';
import type { Field } from './fields.ts';
/** What stands in place of a value, or nothing where it may stay. */
type Instead = (value: string, restriction: FieldRestriction) => string | undefined;
/** A text with restricted values taken out wherever it says which they are: in JSON, in rows under a head, in tags, and behind a name. */
export declare function scrubText(text: string, fields: readonly Field[], inside: (value: Json) => Json, instead: Instead): string;
export {};
