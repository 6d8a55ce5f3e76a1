/** What a request does by its method alone. */
export declare const BY_METHOD: Readonly<Record<string, readonly string[]>>;
export declare const isGeneric: (verb: string) => boolean;
/** What a person's verb asks for, in any of its forms. */
export declare const groupsOf: (word: string) => readonly string[];
/** What a call that is named with a verb is asked for with. */
export declare const deedsOf: (word: string) => readonly string[];
export declare const isVerb: (word: string) => boolean;
export declare const isReading: (verb: string) => boolean;
export declare const isSameNoun: (one: string, other: string) => boolean;
