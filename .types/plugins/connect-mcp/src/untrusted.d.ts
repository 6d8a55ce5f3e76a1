import { type Json, type JsonObject } from '@amodal/sdk';
/** Takes known secrets out of a text. */
export type Mask = (text: string) => string;
/** For what is masked where it is kept and told. */
export declare const MASKED_LATER: Mask;
/**
 * A text of a server as it may be shown: without what cannot be seen, without secrets that it repeats, and no longer than `limit`
 * characters. In this order: what cannot be seen could stand inside of a secret, and a cut could leave the beginning of one.
 */
export declare function shown(text: string, limit: number, mask: Mask): string;
/** The same for every text of a schema, names of properties left as they are: they are what the server is sent. */
export declare function shownSchema(schema: JsonObject, limit: number, mask: Mask): JsonObject;
/** Whether a name in it holds a secret: it would have to be sent as it is, so it cannot be masked. */
export declare function namesSecret(value: Json, mask: Mask): boolean;
