/**
 * What a text says in other spellings: base64, hex, percent-encoding, escapes and entities, one inside of another. A
 * model reads these, so a value that it took from one has its origin there.
 */
export declare function decodedIn(text: string): readonly string[];
