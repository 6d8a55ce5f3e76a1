import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
type Prepare = OpenAICompatibleChatLanguageModel['prepareRequest'];
type Fields = Readonly<Record<string, unknown>>;
export interface RequestBody {
    readonly warnings: SharedV4Warning[];
    /** The JSON to send, with fields of the caller's own. */
    text(fields: Fields): string;
}
/**
 * Makes the bodies of requests. A conversation is sent again with every call, a little longer each time, so what
 * has been sent is kept as text, and only what is new is converted. That rests on two things: a message is
 * converted by itself, and one that was sent never changes. The text may be collected at any time, as a cache.
 */
export declare class RequestBodies {
    #private;
    constructor(prepare: Prepare);
    make(call: LanguageModelV4CallOptions): Promise<RequestBody>;
}
export {};
