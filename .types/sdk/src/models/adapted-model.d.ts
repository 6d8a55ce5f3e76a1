import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LanguageModel } from '../ports/model.ts';
import type { ModelWay, ResolvedModel } from './keyed-provider.ts';
import { type EndOf } from './reply-end.ts';
import { type SchemaRules } from './schema-rules.ts';
export interface AdaptedModel {
    readonly resolved: ResolvedModel;
    readonly way: ModelWay;
    /** Makes the model of the AI SDK; called once, at the first call, so that its package is loaded by who uses it. */
    readonly load: (fetch: ModelWay['fetch']) => Promise<LanguageModel>;
    /** Which event of a stream is the last of the reply. Left out: whichever the connection ends with. */
    readonly endOf?: EndOf;
    /** What the provider takes of the schemas of tools. Left out: what every provider does. */
    readonly rules?: SchemaRules;
    /** Settings that each call is made with. */
    readonly call?: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions;
    /** What to do about an answer that is no reply, by its status; appended to the message. */
    readonly hint?: (status: number) => string | undefined;
}
/**
 * A model of the AI SDK as a turn relies on it. Its package is loaded by the first call. A reply has an end or an error, a
 * call of a reply that was cut never becomes one, and no error holds the prompt or a secret. It ends with its last event,
 * whatever the connection does, and may come as one document. Deadlines are the caller's.
 *
 * @example
 * adaptModel({ resolved, way, load: async (fetch) => new AcmeModel(resolved.model, { baseURL: resolved.baseUrl, headers, fetch }) })
 */
export declare function adaptModel({ resolved, way, load, endOf, rules, call: settle, hint }: AdaptedModel): LanguageModel;
/** The provider's own options of a call, with these where the call does not name them itself. */
export declare function withOption(options: LanguageModelV4CallOptions, provider: string, added: JSONObject): NonNullable<LanguageModelV4CallOptions['providerOptions']>;
