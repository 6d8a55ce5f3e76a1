import type { AgentBundle, PromptSection, RunContext, Skill } from '@amodal/sdk';
export declare const ACTIVATE_SKILL = "activate_skill";
export declare const activeKey: ({ name }: Skill) => string;
/** How the result of an activation begins. */
export declare const openingOf: ({ name }: Skill) => string;
/**
 * Skills that were activated in this session and whose text the conversation has lost to a summary: they stand in the
 * prompt from then on. Until then the result of the call is where the model has them from, and the prompt stays as it is.
 */
export declare function lostSkills({ bundle, sessionState, messages }: Pick<RunContext, 'bundle' | 'sessionState' | 'messages'>): readonly Skill[];
export declare function activeSection(skills: readonly Skill[], bundle: AgentBundle): PromptSection;
