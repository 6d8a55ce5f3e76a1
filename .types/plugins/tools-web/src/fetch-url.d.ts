import { type Outbound, type ToolDefinition } from '@amodal/sdk';
import type { HostLimit } from './host-limit.ts';
export interface FetchOptions {
    readonly timeoutMs: number;
    readonly maxBytes: number;
    readonly maxChars: number;
}
/** The tool that reads a page of the web. */
export declare function fetchUrl(outbound: Outbound, limit: HostLimit, options: FetchOptions): ToolDefinition;
