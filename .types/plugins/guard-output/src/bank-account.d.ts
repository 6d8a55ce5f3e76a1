import type { Heads } from './columns.ts';
import type { Span } from './finding.ts';
import { type Group } from './numbers.ts';
/** Of a Japanese account; no other has so few and is told from other numbers. */
export declare const LEAST_ACCOUNT = 7;
/** Longer ones hold the codes of a bank, too, as in Mexico, Russia and Poland. */
export declare const MOST_ACCOUNT = 26;
/**
 * Numbers that the text gives as those of a bank account, or of a bank.
 *
 * @param named whether anything in the text names one; asked once there is a number to ask it for
 * @param earlier places of those that were found with more of the text before them
 */
export declare function bankAccountsIn(text: string, groups: readonly Group[], columns: Heads, named: () => boolean, earlier: ReadonlySet<number>): readonly Span[];
export declare const fits: (shape: string, joint: string) => boolean;
