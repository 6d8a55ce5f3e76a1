import { type Outbound, type Secrets, type ToolDefinition } from '@amodal/sdk';
import type { SearchSettings } from './settings.ts';
/** The tool that searches the web with whom the agent's manifest names. */
export declare function webSearch(settings: SearchSettings, { outbound, secrets }: {
    readonly outbound: Outbound;
    readonly secrets: Secrets;
}, timeoutMs: number): ToolDefinition;
