import type { Withheld } from '@amodal/sdk';
import { Effort } from './effort.ts';
import type { Span } from './finding.ts';
import { type Needle } from './tracked.ts';
/** A withheld value in a text; `disguised` where it can be no accident that it stands there so. */
interface Leaky extends Span {
    readonly disguised: boolean;
}
export interface Leak extends Leaky {
    readonly value: Withheld;
}
/**
 * Finds withheld values in texts, whatever their number: values are looked up by their first characters, so that a
 * text is read once for all of them. Compared is what is left without case, spaces, punctuation, invisible and
 * look-alike characters; escapes, base64 and hexadecimal are read, and the reverse order is tried.
 *
 * @example
 * const known = new KnownValues()
 * known.add([{ value: '078-05-1121', entity: 'Contact', field: 'ssn', policy: 'never_retrieve', sensitivity: 'pii_identifier' }])
 * known.find('It is 078 05 1121.') // one leak, from 6 to 17
 */
export declare class KnownValues {
    #private;
    get empty(): boolean;
    has(value: Withheld): boolean;
    add(values: readonly Withheld[]): void;
    /** Places of known values in a text, none of them over another; the longest wins. Nothing more is looked for once the effort is exceeded. */
    find(text: string, effort?: Effort): readonly Leak[];
    /**
     * Looks at what is held back of a text that goes on.
     *
     * @returns up to where it can be judged: behind may stand a value that has only begun, or a name whose entity is still
     * to be named; and whether it holds the characters of a known value, of which the text around may still say that it is none
     */
    look(text: string, effort?: Effort): {
        readonly settled: number;
        readonly touched: boolean;
    };
    /** Whether a text holds the characters of a known value; what stands around it may still say that it is none. */
    touches(text: string, effort?: Effort): boolean;
}
/** `sure`: no more has to be known of it. */
export interface Found extends Leaky {
    readonly needle: Needle;
    readonly sure: boolean;
}
/** Encoded values have neither spaces nor other signs than those of ASCII in them. */
export declare const BETWEEN_TOKENS: RegExp;
export {};
