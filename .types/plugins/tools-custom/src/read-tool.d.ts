import { type AgentBundle, type BundleFile } from '@amodal/sdk';
import { type Issues } from '@amodal/sdk/files';
import { type Candidate } from './candidates.ts';
import type { CustomTool } from './custom-tool.ts';
import type { ReadParts } from './read-tools.ts';
export interface Reading extends ReadParts {
    readonly bundle: AgentBundle;
    readonly shared: readonly BundleFile[];
    readonly issues: Issues;
    readonly signal: AbortSignal;
    readonly refer: (reference: AgentBundle['references'][number]) => void;
}
/** Reads one tool, or says why it cannot be used. */
export declare function readTool(candidate: Candidate, reading: Reading): Promise<CustomTool | undefined>;
