import { type AgentBundle, type Connection, type Logger, type Outbound, type RestSpec } from '@amodal/sdk';
import type { Credentials } from '../credentials.ts';
export interface DocumentSource {
    readonly outbound: Outbound;
    readonly credentials: Credentials;
    readonly log: Logger;
    readonly now: () => number;
    /** Bytes of one document. */
    readonly maxBytes: number;
    /** A fetched document that is older is fetched again, for the next load. */
    readonly refreshMs: number;
}
type Rest = Connection & {
    readonly rest: RestSpec;
};
/**
 * The bundle with the API documents of its connections, without what their filters leave out. A document that cannot be read is
 * a problem that is told, and no more.
 */
export declare function loadDocuments(bundle: AgentBundle, connections: readonly Rest[], source: DocumentSource): Promise<AgentBundle>;
export {};
