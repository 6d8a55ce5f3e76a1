import { type AgentBundle, type PromptCompiler, type PromptDraft, type ToolList } from '@amodal/sdk';
export type Sources = Parameters<PromptCompiler['draft']>[2];
type DraftSection = PromptDraft['sections'][number];
/**
 * The sections of a bundle in the order of the prompt: by weight, then by id. Empty ones are left out.
 * A source that throws or returns something else is named in the error.
 */
export declare function collectSections(bundle: AgentBundle, tools: ToolList, sources: Sources): readonly DraftSection[];
export {};
