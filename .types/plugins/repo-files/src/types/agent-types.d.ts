import { type AgentBundle, type ToolList } from '@amodal/sdk';
/** The types of an agent as the text of a declaration file; equal agents give equal texts. */
export declare function typesOf(bundle: AgentBundle, tools: ToolList): string;
