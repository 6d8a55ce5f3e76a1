import { type AgentBundle } from '@amodal/sdk';
/**
 * Reads `agents/<name>/AGENT.md`, and the flat `agents/<name>.md` of older repos, in both forms: frontmatter, or headings
 * (`# Agent:`, `## Config`, `## Prompt`). What cannot be used is named with its line; the rest loads.
 *
 * @returns the bundle with its sub-agents, or `undefined` where it has none
 */
export declare function readAgents(bundle: AgentBundle): AgentBundle | undefined;
