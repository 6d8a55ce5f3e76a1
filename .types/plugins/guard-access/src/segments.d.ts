/**
 * A path as rules and requests are compared: no empty segments, dot segments resolved, matrix parameters dropped, NFC,
 * no case.
 *
 * @returns `undefined` where dots lead above the root
 * @example segmentsOf('/Deals;v=1//7/') // ['deals', '7']
 */
export declare function segmentsOf(path: string): readonly string[] | undefined;
export declare const plain: (text: string) => string;
/** What of a text is encoded after it was decoded once: what would be mistaken for a separator. `undefined`: no percent-encoded UTF-8. */
export declare function decodedOnce(text: string): string | undefined;
/** Segments of a connection's own path, as its address has them. */
export declare const baseSegments: (base: string) => readonly string[];
