/**
 * The request side of the chat-completions protocol, as far as a model server has to understand it,
 * and the checks that a strict endpoint makes before it answers. Requests of the other protocols are
 * read into this form (`protocols/`), so that one script serves them all.
 *
 * Source: the OpenAI API reference, "Create chat completion".
 */
export interface MessagePart {
    readonly type: string;
    readonly text?: string;
    readonly image_url?: {
        readonly url: string;
    };
}
export type MessageContent = string | readonly MessagePart[];
export interface ToolCallMessage {
    readonly id: string;
    readonly type: 'function';
    readonly function: {
        readonly name: string;
        readonly arguments: string;
    };
}
export type ChatMessage = {
    readonly role: 'system' | 'developer' | 'user';
    readonly content: MessageContent;
} | {
    readonly role: 'assistant';
    readonly content?: MessageContent | null;
    readonly tool_calls?: readonly ToolCallMessage[];
} | {
    readonly role: 'tool';
    readonly tool_call_id: string;
    readonly content: MessageContent;
};
export interface ToolDefinition {
    readonly type: 'function';
    readonly function: {
        readonly name: string;
        readonly description?: string;
        readonly parameters?: {
            readonly [key: string]: unknown;
        };
    };
}
export interface ChatCompletionRequest {
    readonly model: string;
    readonly messages: readonly ChatMessage[];
    readonly stream?: boolean;
    readonly stream_options?: {
        readonly include_usage?: boolean;
    };
    readonly tools?: readonly ToolDefinition[];
    readonly tool_choice?: unknown;
    readonly [parameter: string]: unknown;
}
export type ParsedRequest = {
    readonly ok: true;
    readonly request: ChatCompletionRequest;
} | {
    readonly ok: false;
    readonly problem: string;
};
/**
 * Reads a request body and refuses what a real endpoint would refuse: a body that is not a chat
 * completion, a tool call that no tool message answers, an answer to a call that was never made,
 * two calls of one id, and tools with names no provider takes.
 *
 * @param text the raw request body
 * @example
 * parseRequest('{"model":"m","messages":[]}'); // { ok: false, problem: 'messages: …' }
 */
export declare function parseRequest(text: string): ParsedRequest;
/** Refuses histories and tools that no provider takes, in whatever form they came. */
export declare function checkedRequest(request: ChatCompletionRequest): ParsedRequest;
/** The words of a message, whichever of the two content forms it uses. */
export declare function contentText(message: ChatMessage | undefined): string;
/** The text of the newest user message, or the empty string. */
export declare function lastUserText(request: ChatCompletionRequest): string;
/** Whether the conversation ends with tool results, so that the model is to go on from them. */
export declare function endsWithToolResult(request: ChatCompletionRequest): boolean;
export declare function parseJson(text: string): unknown;
export declare function isRecord(value: unknown): value is {
    readonly [key: string]: unknown;
};
