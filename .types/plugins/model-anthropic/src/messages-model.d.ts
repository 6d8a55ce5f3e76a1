import type { LanguageModel } from '@amodal/sdk';
import { type ModelEndpoint, type ModelWay, type ResolvedModel } from '@amodal/sdk/models';
/** Source: the API reference of Anthropic. */
export declare const ANTHROPIC: ModelEndpoint;
export declare function createMessagesModel(resolved: ResolvedModel, way: ModelWay): LanguageModel;
