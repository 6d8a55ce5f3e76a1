const PART = /^amodal\/(?=(?:agents|tools|stores|connections|knowledge|skills)\/)/

/**
 * The path of a part as the first layout of agent folders has it: parts stand in the root or in
 * `amodal/`.
 *
 * @param path relative to the agent folder, with `/`
 * @example
 * partPath('amodal/skills/triage/SKILL.md') // 'skills/triage/SKILL.md'
 * partPath('skills/triage/SKILL.md') // the same
 */
export const partPath = (path: string): string => path.replace(PART, '')

/** Where the text of the main agent may stand; the first that is there counts. */
export const INSTRUCTION_FILES = [
  'agents/main/AGENT.md',
  'amodal/agents/main/AGENT.md',
  'agents/default/AGENT.md',
  'amodal/agents/default/AGENT.md',
  'agents/main.md',
] as const
