import type { Row } from './table.ts';
/**
 * The rows a message speaks of, where it names an id, a quoted text or the value of a cell that some
 * rows have and others have not. Values of one column widen, columns narrow; what nothing matches narrows nothing.
 *
 * @param said what the call was told already
 */
export declare function meant(rows: readonly Row[], text: string, said: readonly unknown[]): readonly Row[];
/**
 * The one row that a message names, by a cell that is not to be changed; `undefined` where it names
 * none or several.
 *
 * @param changed columns that are to get another value
 */
export declare function theOne(rows: readonly Row[], text: string, changed: ReadonlySet<string>): Row | undefined;
