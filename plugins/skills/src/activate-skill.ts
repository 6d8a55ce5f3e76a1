import { err, ok, type AgentBundle, type Json, type Skill, type ToolDefinition } from '@amodal/sdk'
import { skillText } from './skill-text.ts'

export const ACTIVATE_SKILL = 'activate_skill'

/** The tool that gives one skill in full, for agents with more skills than fit into every prompt. */
export function activateSkill({ skills }: AgentBundle): ToolDefinition {
  const names = skills.map(({ name }) => name)
  const unknown = (name: Json | undefined): string => `there is no skill ${JSON.stringify(name ?? null)}; the skills are: ${names.join(', ')}`
  return {
    name: ACTIVATE_SKILL,
    description: 'Gives the full methodology of one of the skills listed under Skills. Call it before you follow a skill.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', enum: names, description: 'Name of the skill' } },
      required: ['name'],
      additionalProperties: false,
    },
    parse({ name }) {
      const skill = typeof name === 'string' ? named(skills, name) : undefined
      return skill ? ok({ name: skill.name }) : err(unknown(name))
    },
    readOnly: true,
    runningLabel: 'Reading a skill',
    completedLabel: 'Read a skill',
    async execute({ name }) {
      const skill = typeof name === 'string' ? named(skills, name) : undefined
      if (!skill) return { status: 'error', message: unknown(name) }
      return { status: 'success', output: `# ${skill.name}\n\n${skillText(skill)}`, events: [{ type: 'skill_activated', skill_name: skill.name }] }
    },
  }
}

/** Models write `incident-response` for `Incident Response`. */
function named(skills: readonly Skill[], name: string): Skill | undefined {
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => plain(skill.name) === plain(name))
}

const plain = (name: string): string => name.trim().toLowerCase().replaceAll(/[\s_-]+/g, '-')
