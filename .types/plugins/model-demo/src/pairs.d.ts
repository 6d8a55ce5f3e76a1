import type { Field } from './schema.ts';
/** A value that a message gives to a parameter by name. */
export interface Pair {
    readonly field: Field;
    readonly raw: string;
    /** Said with a sign or a verb ("amount: 5", "amount is 5"), not merely beside it ("amount 5"). */
    readonly strong: boolean;
}
/** Where a value ends that nothing marks as one. */
export declare const NEXT_PHRASE: RegExp;
/**
 * Finds "key: value", "key = value", "key is value", "key value" and "named value" for the given
 * fields. A value reaches to the next key, or to the end of its line, clause or sentence.
 */
export declare function pairsIn(text: string, fields: readonly Field[]): readonly Pair[];
