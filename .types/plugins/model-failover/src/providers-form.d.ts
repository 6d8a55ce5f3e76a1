import type { AgentBundle, ModelProvider } from '@amodal/sdk';
/**
 * `{ "provider": "failover", "providers": ["anthropic", "openai"] }` as a chain: each provider with the model it takes
 * where none is named. One that is not known is left out and named.
 */
export declare function withChain(bundle: AgentBundle, providers: ReadonlyMap<string, ModelProvider>): AgentBundle | undefined;
