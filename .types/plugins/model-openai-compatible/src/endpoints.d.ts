import type { ModelEndpoint } from '@amodal/sdk/models';
/** One chat-completions endpoint that is known by name. */
export interface Endpoint extends ModelEndpoint {
    /** `false`: it knows no schema of answers, only that they are JSON. */
    readonly structured?: boolean;
    /** Where the endpoint takes another parameter than the common one; `null` where it refuses it. */
    readonly parameters?: Readonly<Record<string, string | null>>;
    /** `false`: images of results are not sent, since none of its models takes them so. */
    readonly resultImages?: boolean;
}
/** The endpoint for any `baseUrl`; also serves provider names that nobody else knows. */
export declare const CUSTOM = "openai-compatible";
/** Detection of a custom endpoint: both have to be set, `AMODAL_API_KEY` where it wants a key. */
export declare const CUSTOM_URL = "AMODAL_BASE_URL";
export declare const CUSTOM_MODEL = "AMODAL_MODEL";
/** Sources: the API references of the providers. */
export declare const ENDPOINTS: readonly Endpoint[];
