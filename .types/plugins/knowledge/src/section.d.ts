import type { AgentBundle, KnowledgeDocument, PromptSection, ToolList } from '@amodal/sdk';
/** Whether all documents may stand in every prompt. */
export declare function fitsEagerly({ knowledge }: AgentBundle, eagerTokens: number): boolean;
/** The section of the prompt: all documents, or their titles where they are read by a tool. */
export declare function knowledgeSections(bundle: AgentBundle, { tools }: ToolList, eagerTokens: number): readonly PromptSection[];
/** With an end that no heading of the text can be mistaken for. */
export declare function whole({ name, title, body, tags }: KnowledgeDocument): string;
/** Documents that this tenant has approved for itself. */
export declare function tenantSection(documents: readonly KnowledgeDocument[]): PromptSection | undefined;
