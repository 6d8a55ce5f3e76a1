import { type Failure, type Generation, type Result } from '@amodal/kernel';
import type { AgentBundle, ModelConfig } from './ports/bundle.ts';
import { type ModelCall, type ModelProvider } from './ports/model.ts';
/** The model that a tier means: what the manifest names, or what a provider detects. */
export declare function chooseModel(generation: Generation, bundle: AgentBundle, tier: ModelCall['tier']): ModelConfig | undefined;
/** The provider of a configuration; an unknown name with a `baseUrl` is a compatible endpoint. */
export declare function providerOf(generation: Generation, config: ModelConfig): Result<ModelProvider, Failure>;
