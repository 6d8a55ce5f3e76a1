import type { AgentBundle, Skill } from '@amodal/sdk';
/** Name, purpose, trigger and steps, with an end that no heading of the text can be mistaken for. */
export declare function wholeSkill(skill: Skill, bundle: AgentBundle): string;
/** One line of the index. */
export declare function skillEntry({ name, description, trigger }: Skill): string;
/** What a skill says, without its name: its text, what it needs, and which files stand beside it. */
export declare function skillText(skill: Skill, bundle: AgentBundle): string;
