import type { ApiDocument, ApiEndpoint } from '@amodal/sdk';
/** Operations of a document by the paths of requests. */
export declare class OperationIndex {
    #private;
    constructor({ endpoints, basePath }: Pick<ApiDocument, 'endpoints' | 'basePath'>);
    /**
     * The operations that a request may be: those with the most fixed segments. Several where they share a path.
     *
     * @param path canonical, with the base path of the connection
     * @param base that base path
     */
    at(method: string, path: string, base: string): readonly {
        readonly endpoint: ApiEndpoint;
        readonly fragment: string | undefined;
    }[];
}
/** Made once for each document that was read. */
export declare function operationsOf(document: ApiDocument): OperationIndex;
