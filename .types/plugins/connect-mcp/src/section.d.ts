import { type AgentBundle, type PromptSection } from '@amodal/sdk';
import type { Servers } from './servers.ts';
/** What servers say of how they want to be used. They are strangers: it is marked as theirs, and bounded. */
export declare function instructionsSection(servers: Servers, bundle: AgentBundle): readonly PromptSection[];
