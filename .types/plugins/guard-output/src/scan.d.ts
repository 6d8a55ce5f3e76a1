import { type Heads } from './columns.ts';
import { type PatternFinding } from './finding.ts';
import { type Plain } from './plain.ts';
export declare function mayHoldPatterns(text: string): boolean;
/** What the rest of a text says of the numbers in a part of it. Places are those of the part, as it is read. */
export interface Surroundings {
    readonly columns: Heads;
    readonly namesSsn: () => boolean;
    readonly namesBank: () => boolean;
    /** Where accounts begin that were found before, with more of the text before them. */
    readonly accounts: ReadonlySet<number>;
}
/**
 * Finds numbers of persons and banks: social security numbers, payment cards, IBANs, and bank accounts near the word
 * for them. Linear in the length of the text.
 *
 * @returns places in `original`, in order, none of them over another
 * @example
 * scan('My SSN is 078-05-1121.') // [{ kind: 'ssn', start: 10, end: 21 }]
 */
export declare function scan(original: string): readonly PatternFinding[];
/** The same for a part of a text, of which the rest is known otherwise. */
export declare function scanPart({ text, at, behind }: Plain, { columns, accounts, namesSsn, namesBank }: Surroundings): readonly PatternFinding[];
