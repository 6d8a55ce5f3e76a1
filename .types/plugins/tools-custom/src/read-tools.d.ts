import { type AgentBundle, type Secrets } from '@amodal/sdk';
import { type CustomTool } from './custom-tool.ts';
import type { Definitions } from './definition-cache.ts';
import type { Handlers } from './handlers.ts';
import type { Isolation } from './isolation.ts';
export interface ReadParts {
    readonly isolation: Isolation;
    readonly handlers: Handlers;
    readonly secrets: Secrets;
    /** What code has said of its tool, by digest. */
    readonly definitions: Definitions;
    /** Of the files in use. */
    readonly inUse: readonly CustomTool[];
}
/** The bundle with the tools of its files. One that cannot be used is left out, with the reason; the others are there. */
export declare function readTools(bundle: AgentBundle, parts: ReadParts): Promise<AgentBundle | undefined>;
