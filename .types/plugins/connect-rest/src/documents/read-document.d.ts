import { type ApiDocument, type Result } from '@amodal/sdk';
export type ReadDocument = Omit<ApiDocument, 'from'>;
/**
 * Reads an API document in any of its forms: OpenAPI 3.0, 3.1 and Swagger 2.0 in JSON or YAML, GraphQL SDL, the answer to
 * an introspection query.
 */
export declare function readDocument(text: string): Result<ReadDocument, string>;
