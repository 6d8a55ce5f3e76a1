import { err, ok, type AgentBundle, type Json, type ToolDefinition } from '@amodal/sdk'
import { listedKey } from '@amodal/plugin-compaction/tokens'
import { ACTIVATE_SKILL, activeKey, openingOf } from './active.ts'
import { findSkill } from './find-skill.ts'
import { skillText } from './skill-text.ts'

/**
 * The tool that returns one skill in full, for agents with more skills than fit into the prompt.
 */
export function activateSkill(bundle: AgentBundle): ToolDefinition {
  const { skills } = bundle
  const names = skills.map(({ name }) => name)
  const unknown = (name: Json | undefined): string =>
    `there is no skill ${JSON.stringify(name ?? null)}; the skills are: ${names.join(', ')}`
  return {
    name: ACTIVATE_SKILL,
    description:
      'Gives the full methodology of one of the skills listed under Skills. Call it before you follow a skill. Several may be active, one after the other.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', enum: names, description: 'Name of the skill' } },
      required: ['name'],
      additionalProperties: false,
    },
    parse({ name }) {
      const skill = findSkill(skills, name)
      return skill ? ok({ name: skill.name }) : err(unknown(name))
    },
    readOnly: true,
    runningLabel: 'Reading a skill',
    completedLabel: 'Read a skill',
    async execute({ name }) {
      const skill = findSkill(skills, name)
      if (!skill) return { status: 'error', message: unknown(name) }
      return {
        status: 'success',
        output: `${openingOf(skill)}${skillText(skill, bundle)}`,
        events: [{ type: 'skill_activated', skill_name: skill.name }],
        // Kept for the session; and tools that were too many to list are listed with the skill that
        // works with them.
        sessionState: Object.fromEntries(
          [activeKey(skill), ...(skill.allowedTools ?? []).map(listedKey)].map((key) => [
            key,
            true,
          ]),
        ),
      }
    },
  }
}
