import type { Span } from './finding.ts';
import { type Group } from './numbers.ts';
export declare const isCardShape: (shape: string) => boolean;
/** Payment cards: an issuer's prefix and length and a right check digit, bare or in a card's groups. */
export declare function cardsIn(text: string, groups: readonly Group[]): readonly Span[];
