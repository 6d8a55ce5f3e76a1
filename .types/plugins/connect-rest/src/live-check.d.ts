import { type AgentBundle, type BundleIssue } from '@amodal/sdk';
import type { RestClient } from './rest-client.ts';
/** Asks each connection for its `testPath`: a problem for each that does not answer as it should. */
export declare function checkLive(bundle: AgentBundle, client: RestClient, signal: AbortSignal): Promise<readonly BundleIssue[]>;
