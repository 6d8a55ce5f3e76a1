import type { AgentBundle, PromptSection, ToolList } from '@amodal/sdk';
/** Whether the bodies of all skills may stand in every prompt. */
export declare function fitsInline(bundle: AgentBundle, inlineTokens: number): boolean;
/** The section of the prompt: whole skills, or their names and triggers where they are read by a tool. */
export declare function skillSections(bundle: AgentBundle, { tools }: ToolList, inlineTokens: number): readonly PromptSection[];
