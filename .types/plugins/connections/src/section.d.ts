import { type AgentBundle, type Connection, type PromptSection, type ToolList } from '@amodal/sdk';
/** Where a connection leads, as far as it may be told: no credentials, no query. */
export type AddressOf = (connection: Connection) => string | undefined;
/** Whether the texts of all connections may stand in every prompt. */
export declare function fitsInline(bundle: AgentBundle, inlineTokens: number): boolean;
/** The section of the prompt: each connection with its rules, and its other texts while all of them are small. */
export declare function connectionSections(bundle: AgentBundle, { tools }: ToolList, inlineTokens: number, addressOf: AddressOf): readonly PromptSection[];
