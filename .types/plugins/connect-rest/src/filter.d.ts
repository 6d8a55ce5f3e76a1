import { type Action, type ApiDocument, type ApiEndpoint, type Connection, type RestSpec } from '@amodal/sdk';
type FilterSpec = RestSpec['filter'];
/** Whether a connection has a filter at all. */
export declare const hasFilter: ({ tags, includePaths, excludePaths }: FilterSpec) => boolean;
/** What the `filter` of a connection lets through: what it leaves out is neither shown nor sent. */
export declare class EndpointFilter {
    #private;
    constructor(spec: FilterSpec);
    /** Whether an operation of the API document is one that the agent has. Paths of a document are below that of its server. */
    has({ path, tags }: Pick<ApiEndpoint, 'path' | 'tags'>, bases?: readonly string[]): boolean;
    /**
     * Why a request may not be made; `undefined` where it may. A path that can be read in several ways has to be let through in
     * each of them; of GraphQL, every field that it asks for.
     */
    refusal(action: Action, { name, rest: { format } }: {
        readonly name: string;
        readonly rest: Pick<RestSpec, 'format'>;
    }, document: ApiDocument | undefined): string | undefined;
}
/** A document as the agent has it: without what the filter leaves out. */
export declare function filteredDocument(document: ApiDocument, spec: FilterSpec, base: string): ApiDocument;
/** A connection whose texts name nothing that its filter leaves out. */
export declare function filteredTexts<C extends Connection & {
    readonly rest: RestSpec;
}>(connection: C, document: ApiDocument | undefined, base: string): C;
export {};
