/** The beginning of a text, with a mark that says how much of it is missing; the text itself where it is no longer than `limit` characters. */
export declare const cut: (text: string, limit: number) => string;
/** The same in one line, for people. */
export declare const cutShort: (text: string, limit: number) => string;
