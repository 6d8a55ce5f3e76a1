/** A name in Latin letters, with its case: full-width, marked and look-alike letters are made plain. Taking more names for restricted ones is safe. */
export declare function latin(name: string): string;
/** A name without case and spelling: `internal_notes`, `internalNotes` and `Internal Notes` are one. */
export declare const plainName: (name: string) => string;
/** What names are compared by: `E-Mails` and `email` are one. */
export declare const stemOf: (name: string) => string;
/** The words of a name: `primaryContactSSN2` → `primary`, `contact`, `ssn`, `2`. */
export declare function wordsOf(name: string): readonly string[];
/** The steps of a path into an answer, lists left aside: `contacts[].e-mail` → `contact`, `email`. */
export declare const stepsOf: (path: string) => readonly string[];
/** The same steps as they are written. */
export declare const partsOf: (path: string) => readonly string[];
/** Written as a name is, and not as a value: no number in it that could be somebody's, no address, no sentence. */
export declare const isNameLike: (text: string) => boolean;
/** What names mean, each looked at once: answers have few names, and many times. */
export declare class Names {
    #private;
    plain(name: string): string;
    stem(name: string): string;
    isSecret(name: string): boolean;
}
export declare function remembered<T>(known: Map<string, T>, name: string, make: (name: string) => T): T;
