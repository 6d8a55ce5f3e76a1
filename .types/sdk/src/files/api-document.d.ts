/** Names of API documents in the folder of a connection. */
export declare const API_DOCUMENTS: readonly ['openapi.json', 'openapi.yaml', 'openapi.yml', 'swagger.json', 'swagger.yaml', 'swagger.yml', 'schema.graphql', 'schema.json'];
/** Whether a path is that of an API document. They may be long, so who serves the connection reads them. */
export declare function isApiDocument(path: string): boolean;
