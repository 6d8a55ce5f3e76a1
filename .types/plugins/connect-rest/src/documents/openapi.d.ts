import { type JsonObject, type Result } from '@amodal/sdk';
import type { ReadDocument } from './read-document.ts';
/**
 * Reads the operations of an OpenAPI 3.0 or 3.1 or a Swagger 2.0 document.
 *
 * @see https://spec.openapis.org/oas/v3.1.1 · https://spec.openapis.org/oas/v2.0
 */
export declare function readOpenApi(document: JsonObject): Result<ReadDocument, string>;
