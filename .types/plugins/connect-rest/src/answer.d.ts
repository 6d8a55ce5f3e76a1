import { type Json, type OutboundResponse, type ToolContent, type ToolResult } from '@amodal/sdk';
/** What an answer holds: JSON as a value, text as text, anything else as what it is and how much of it. */
export declare function readBody(response: OutboundResponse): {
    readonly value: Json;
    readonly content?: readonly ToolContent[];
};
/** An answer that says no, for the model: what was asked, what came, what to do. */
export declare function refusal(name: string, method: string, path: string, response: OutboundResponse, mask: (text: string) => string): ToolResult;
