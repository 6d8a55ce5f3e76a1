import { type AgentBundle, type ToolDefinition } from '@amodal/sdk';
import type { Documents } from './documents.ts';
export interface ToolLimits {
    readonly maxResults: number;
    readonly maxBatch: number;
}
/** `query_store`, for each store `store_x` and `store_x_batch`, and `delete_from_store`. */
export declare function toolsOf(bundle: AgentBundle, limits: ToolLimits, documents: Documents): readonly ToolDefinition[];
/** Second names from older agent folders: `write_x`, `x_batch`. */
export declare function aliasesOf(bundle: AgentBundle, documents: Documents): Readonly<Record<string, string>>;
