import { type ApiDocument, type ApiEndpoint, type BodyMedia, type Json, type JsonObject, type Result } from '@amodal/sdk';
import type { Query } from './query.ts';
/** A request as far as its operation is looked for. */
export interface Looked {
    readonly method: string;
    readonly path: string;
    readonly base: string;
    readonly query: Query;
    readonly headers: Readonly<Record<string, string>>;
}
/**
 * Operations of the document that a request may be. Where several share a path (`/#Action=A`, `/#Action=B`), those whose fixed
 * parameters the request has; where it has none of them, all.
 */
export declare function operationsAt(document: ApiDocument, { method, path, base, query, headers }: Looked): readonly ApiEndpoint[];
/** The operation whose own path has this fragment, such as `#Action=CopyImage`; it is no part of what is sent. */
export declare function operationNamed(document: ApiDocument, fragment: string, { method, path, base }: Pick<Looked, 'method' | 'path' | 'base'>): ApiEndpoint | undefined;
/**
 * How a body is written: as the operation takes it, in the type that the caller names, or in the first that fits what was passed.
 *
 * @param said `content-type` of the caller
 * @returns an error text where the operation takes no such type
 */
export declare function mediaFor(operation: ApiEndpoint | undefined, body: Json, said: string | undefined): Result<BodyMedia | undefined, string>;
/** Parameters that make the request this operation, in places where the caller said nothing. */
export declare function fixedParameters({ fixed }: ApiEndpoint, params: Json | undefined, headers: Json | undefined): {
    readonly params?: JsonObject;
    readonly headers?: JsonObject;
};
