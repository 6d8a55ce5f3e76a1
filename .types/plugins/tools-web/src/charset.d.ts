/**
 * The text of an answer: by its mark, its header, what the page says itself, else UTF-8. An encoding that nobody knows
 * is read as UTF-8.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
export declare function decode(body: Uint8Array, contentType: string): string;
