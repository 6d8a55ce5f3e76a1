import type { LanguageModel } from '@amodal/sdk';
import { type ModelEndpoint, type ModelWay, type ResolvedModel } from '@amodal/sdk/models';
/** Source: the API reference of OpenAI. */
export declare const OPENAI: ModelEndpoint;
export declare function createResponsesModel(resolved: ResolvedModel, way: ModelWay): LanguageModel;
