import { type Json, type Result } from '@amodal/sdk';
/** One part of a multipart body. */
export interface Part {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly filename?: string;
    readonly contentType?: string;
}
export interface GivenFile {
    readonly bytes: Uint8Array;
    readonly filename?: string;
    readonly contentType?: string;
}
/**
 * A file as a caller passes it: `{ base64, filename?, content_type? }`, or `text` in place of `base64`.
 *
 * @returns `undefined` where it is no file, but an object or a value like any other
 */
export declare function fileIn(value: Json): Result<GivenFile, string> | undefined;
/**
 * A multipart body. The same parts give the same bytes, so that a retry sends what was sent before.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export declare function multipartOf(parts: readonly Part[], type: string): {
    readonly body: Uint8Array;
    readonly contentType: string;
};
