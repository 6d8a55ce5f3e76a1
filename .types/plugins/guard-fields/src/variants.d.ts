import type { Json } from '@amodal/sdk';
/** How a name is the name of a restricted field: its own, or one that has it in it. */
export interface Match {
    readonly exact: boolean;
    /** The entity stands before it: `contact_ssn` is the `ssn` of a contact, wherever it stands. */
    readonly joined: boolean;
    /** What the words around say that it holds instead: `email_verified`, `ssn_count`. */
    readonly about?: About;
}
type About = 'flag' | 'count' | 'moment' | 'word';
/**
 * @param field words of a restricted field
 * @param entity words of what it is a field of
 * @example matchOf('primaryContactSSN', ['ssn'], ['contact']) // { exact: false, joined: true }
 */
export declare function matchOf(name: string, field: readonly string[], entity: readonly string[]): Match | undefined;
/** Whether a value is what the words around the name say: yes or no, how many, when, in which state. */
export declare function isAbout(value: Json, { exact, about }: Match): boolean;
/** Whether a name is too general to stand for itself in a sentence. */
export declare const isGeneral: (words: readonly string[]) => boolean;
export {};
