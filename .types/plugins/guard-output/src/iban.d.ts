import type { Span } from './finding.ts';
export declare const IBAN_BEGIN: RegExp;
/** Bank account numbers of ISO 13616: a country, its length and form, and right check digits; compact or grouped. */
export declare function ibansIn(text: string): readonly Span[];
