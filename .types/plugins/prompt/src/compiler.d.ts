import type { AgentBundle, PromptCompiler } from '@amodal/sdk';
/** Context window in tokens of the model that the manifest names. */
export type WindowOf = (bundle: AgentBundle) => number;
/**
 * The one compiler. Its output depends on its input alone – no clock, no chance, no order of arrival –
 * and the same input gives the same object, so that provider caches hit and nothing is made twice.
 */
export declare function promptCompiler(windowOf: WindowOf): PromptCompiler;
