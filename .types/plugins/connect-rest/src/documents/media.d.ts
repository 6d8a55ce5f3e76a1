import { type ApiMedia, type Json, type JsonObject } from '@amodal/sdk';
import type { Resolve } from './schema-text.ts';
/** What an operation takes as its body. */
export interface Taken {
    /** The schema of the media type that is chosen where nobody says another. */
    readonly schema?: Json;
    readonly takes?: readonly ApiMedia[];
}
/** Of OpenAPI 3: `requestBody.content`. */
export declare function takenOf(content: JsonObject, resolve: Resolve): Taken;
/** Of Swagger 2: the parameter `body`, or those of the form, and `consumes`. */
export declare function takenOfSwagger(parameters: readonly JsonObject[], consumes: readonly string[], resolve: Resolve): Taken;
