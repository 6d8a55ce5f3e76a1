import type { AgentBundle, PromptSection } from '@amodal/sdk';
/** Who the agent is and how it works: `userContext` first and word for word, as the manifest has it. */
export declare function coreSections({ manifest, instructions }: AgentBundle): readonly PromptSection[];
