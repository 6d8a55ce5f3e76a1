import type { CallToolResult } from '@modelcontextprotocol/client';
import { type ToolResult } from '@amodal/sdk';
export interface ResultLimits {
    /** Characters of text. */
    readonly chars: number;
    /** Characters of base64 of all images together. */
    readonly imageChars: number;
}
/**
 * What a server answered, for the model and for whoever watches. Of an answer that is told twice, as text and as data, the
 * data counts. Images go as images, other binary data as what it is. Blocks that are for one of the two go to that one.
 */
export declare function toolResult({ content, structuredContent, isError }: CallToolResult, { chars, imageChars }: ResultLimits, mask: (text: string) => string): ToolResult;
