import { type PreparedCall } from '@amodal/sdk';
/** What a call does, in the words that people would use for it. */
export interface Deed {
    /** For the person who is asked: `POST /contacts/42/unlock`, `rotate_all_keys`. */
    readonly name: string;
    /** The verb that its name has, or what may be one; none, where only its method says what is done. */
    readonly verbs: readonly string[];
    /** Lists of verbs each of which asks for it. */
    readonly groups: readonly string[];
    /** What it is done to. */
    readonly nouns: readonly string[];
    /** Made of things of one kind, and of none in particular. */
    readonly isCollection: boolean;
    /** It makes one more of a kind. */
    readonly makes: boolean;
    readonly values: readonly Given[];
}
/** A value that a call is given. */
export interface Given {
    readonly field: string;
    readonly name: string;
    readonly value: string | number | boolean | null;
    readonly says: boolean;
}
export declare function deedOf({ tool, action, args }: PreparedCall): Deed;
