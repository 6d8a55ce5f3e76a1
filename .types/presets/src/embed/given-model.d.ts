import { type Entry, type LanguageModel, type ModelConfig } from '@amodal/sdk';
export interface ModelChoice {
    /** The name of a provider, such as `groq`, or a model of the AI SDK (specification v4). Wins over the agent's files. */
    readonly provider?: string | LanguageModel;
    /** Of a provider that is named; its own model where none is said here. */
    readonly providerConfig?: Partial<Omit<ModelConfig, 'provider' | 'apiKey'>>;
    /** Of a provider that is named; what its variable in `env` says where it is left out. */
    readonly apiKey?: string;
}
/** The key stays where secrets are kept and masked; the configuration only names it. */
export declare const keyEnvironment: ({ provider, apiKey }: ModelChoice) => Readonly<Record<string, string>>;
/** Makes the chosen model that of `models.main`, whatever the agent's files say. */
export declare function givenModel(choice: ModelChoice): readonly Entry[];
