import type { LanguageModel } from '@amodal/sdk';
export interface ChatModelOptions {
    /** The provider's name, for errors and usage. */
    readonly provider: string;
    readonly model: string;
    /** Up to and without `/chat/completions`; a query is kept. */
    readonly baseUrl: string;
    /** Resolved: sent as they stand. */
    readonly headers: Readonly<Record<string, string>>;
    readonly parameters: Readonly<Record<string, string | null>>;
    /** `false`: images of results are not sent. */
    readonly resultImages: boolean;
    readonly fetch: typeof fetch;
    /** Takes secrets out of what an endpoint answers. */
    readonly mask: (text: string) => string;
    /** It takes a schema of answers; others know no more than that they are JSON. */
    readonly structured?: boolean;
    readonly strictTools?: boolean;
}
/**
 * A chat-completions model. The AI SDK turns the prompt into the request; the reply is read by
 * {@link Reply}, at a third of the processor time of the five web streams the SDK pipes it through.
 */
export declare function createChatModel(options: ChatModelOptions): LanguageModel;
