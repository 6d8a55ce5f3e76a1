import type { AgentBundle, PromptSection } from '@amodal/sdk';
import type { Documents } from './documents.ts';
/** What the model is told of the stores: their fields and tools, never their content. */
export declare function storeSection(bundle: AgentBundle, documents: Documents): readonly PromptSection[];
