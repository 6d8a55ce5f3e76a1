import type { LanguageModel, ModelProvider } from '../ports/model.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { Secrets } from '../ports/secrets.ts';
import { type SchemaRules } from './schema-rules.ts';
/** Where a provider's models are, as far as it is known before anything is configured. */
export interface ModelEndpoint {
    readonly name: string;
    /** Left out: the manifest has to name one. */
    readonly baseUrl?: string;
    /** The variable that holds its key. */
    readonly envVar: string;
    /** The model to take where only the key is set. */
    readonly model?: string;
    /** Place in the order of detection, lowest wins: a custom endpoint 0, Anthropic 10, OpenAI 20, Google 30, others from 40. */
    readonly rank: number;
    /** What it takes of the schemas of tools. Left out: what every provider does. */
    readonly rules?: SchemaRules;
    /** Settings of a model that it does not have. */
    readonly lacks?: readonly ModelSetting[];
}
/** Settings that not every provider has. */
export type ModelSetting = 'topP' | 'seed' | 'effort' | 'thinking' | 'responseSchema' | 'strictTools';
export interface KeyedProviderDeps {
    readonly secrets: Secrets;
    readonly outbound: Outbound;
}
/** What a configuration comes to, once its references are resolved; sent as it stands. */
export interface ResolvedModel {
    readonly provider: string;
    readonly model: string;
    readonly baseUrl: string;
    readonly apiKey: string | undefined;
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
    /** Tokens that it may think for. */
    readonly thinking?: number;
    readonly strictTools?: boolean;
}
/** The way to an endpoint. */
export interface ModelWay {
    readonly fetch: typeof fetch;
    /** Takes the values of secrets out of a text. */
    readonly mask: (text: string) => string;
}
/**
 * A provider whose models are reached at an address with a key. `env:` references are resolved at each call, so that a
 * changed key counts at once; the endpoint's own key goes to another `baseUrl` only where it is set, and none is insisted on.
 *
 * @param make a model, cheap to make: it is kept for as long as its configuration comes to the same
 * @example
 * add(Models, 'acme', keyedProvider({ name: 'acme', baseUrl: 'https://api.acme.com', envVar: 'ACME_API_KEY', model: 'acme-1', rank: 50 }, deps, makeModel))
 */
export declare function keyedProvider(endpoint: ModelEndpoint, { secrets, outbound }: KeyedProviderDeps, make: (resolved: ResolvedModel, way: ModelWay) => LanguageModel): ModelProvider;
