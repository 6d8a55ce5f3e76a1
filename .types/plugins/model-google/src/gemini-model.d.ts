import type { LanguageModel } from '@amodal/sdk';
import { type ModelEndpoint, type ModelWay, type ResolvedModel } from '@amodal/sdk/models';
/** Source: the API reference of Gemini. */
export declare const GOOGLE: ModelEndpoint;
export declare function createGeminiModel(resolved: ResolvedModel, way: ModelWay): LanguageModel;
