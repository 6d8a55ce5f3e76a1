import { type Json, type JsonObject } from '@amodal/sdk';
/** What one document of a request does: root fields by their own names, fragments spread. */
export interface GraphqlOperation {
    /** A subscription, and what cannot be read, is a mutation; its fields are none. */
    readonly kind: 'query' | 'mutation';
    readonly fields: readonly string[];
    /** The object that thresholds see as `body`. */
    readonly body: JsonObject;
}
/**
 * Reads the operations of a GraphQL request: one, or a batch. Where nothing says which operation of a document runs, all of
 * them count as one. What cannot be read is a mutation of no known field.
 *
 * @param body the request's body: an object, a batch, or a text that is JSON or a document
 * @example readOperations({ query: 'mutation { close(id: 1) { id } }' }) // [{ kind: 'mutation', fields: ['close'], … }]
 * @see https://graphql.github.io/graphql-over-http/draft/
 */
export declare function readOperations(body: Json | undefined): readonly GraphqlOperation[];
