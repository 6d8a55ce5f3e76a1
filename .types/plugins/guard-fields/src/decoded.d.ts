/** A text as other texts that it is an encoding of, as a whole or in a part; each once. */
export declare function decodings(text: string): readonly string[];
/** The text that a whole text is the base64 or hexadecimal of. */
export declare function wholeDecoded(text: string): string | undefined;
