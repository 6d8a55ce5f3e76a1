import { type BodyField, type BodyMedia, type Json, type Result } from '@amodal/sdk';
export interface Payload {
    readonly body: string | Uint8Array;
    readonly contentType: string;
}
/**
 * The bytes of a body. Without a media type an object is JSON, and a text is sent as it stands.
 *
 * @param contentType what the caller calls it: for a text that no document says anything of
 * @returns an error text for whoever passed the body
 */
export declare function payloadOf(body: Json, media: BodyMedia | undefined, contentType?: string): Result<Payload, string>;
/**
 * The names and values of a form, as they are sent.
 *
 * @example pairsOf({ amount: 5, metadata: { order: 'A-1' }, items: [{ price: 'p' }] }, {}) // [['amount', '5'], ['metadata[order]', 'A-1'], ['items[0][price]', 'p']]
 */
export declare function pairsOf(body: Json, fields: Readonly<Record<string, BodyField>>): Result<readonly (readonly [string, string])[], string>;
/**
 * A body in each way in which whoever receives it might read it: as it was passed, and as it is sent. Guards look at all of them.
 */
export declare function bodyReadings(body: Json | undefined, media: BodyMedia | undefined): readonly (Json | undefined)[];
