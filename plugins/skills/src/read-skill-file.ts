import { err, ok, type AgentBundle, type Json, type ToolDefinition } from '@amodal/sdk'
import { findSkill } from './find-skill.ts'
import { filesOf } from './skill-files.ts'

export const READ_SKILL_FILE = 'read_skill_file'

/** Lines of one call. */
const MOST_LINES = 1_000

/** Whether any skill has files beside its own. */
export const haveFiles = (bundle: AgentBundle): boolean =>
  bundle.skills.some((skill) => filesOf(bundle, skill).size > 0)

/**
 * The tool that reads a file in the folder of a skill, and nothing else: files are looked up among
 * those of the bundle.
 */
export function readSkillFile(bundle: AgentBundle): ToolDefinition {
  const skills = bundle.skills.filter((skill) => filesOf(bundle, skill).size > 0)
  const found = (name: Json | undefined, path: Json | undefined) => {
    const skill = findSkill(skills, name)
    if (!skill)
      return err(
        `no skill ${JSON.stringify(name ?? null)} has files; these have: ${skills.map((one) => one.name).join(', ')}`,
      )
    const files = filesOf(bundle, skill)
    const below = typeof path === 'string' ? path.trim().replace(/^\.\//, '') : ''
    const file = files.get(below)
    return file
      ? ok({ skill, file, below })
      : err(
          `the skill ${skill.name} has no file ${JSON.stringify(path ?? null)}; its files are: ${[...files.keys()].join(', ')}`,
        )
  }
  return {
    name: READ_SKILL_FILE,
    description: `Reads a file that belongs to a skill, up to ${MOST_LINES} lines at once. Scripts can be read and not run.`,
    parameters: {
      type: 'object',
      properties: {
        skill: {
          type: 'string',
          enum: skills.map(({ name }) => name),
          description: 'Name of the skill',
        },
        path: {
          type: 'string',
          description: 'The file, as the skill names it, such as references/limits.md',
        },
        from_line: {
          type: 'integer',
          minimum: 1,
          description: 'The first line to read; 1 where it is left out',
        },
      },
      required: ['skill', 'path'],
      additionalProperties: false,
    },
    parse({ skill, path, from_line: from = 1 }) {
      if (typeof from !== 'number' || !Number.isInteger(from) || from < 1)
        return err('from_line: a whole number from 1 is expected')
      const it = found(skill, path)
      return it.ok ? ok({ skill: it.value.skill.name, path: it.value.below, from_line: from }) : it
    },
    readOnly: true,
    runningLabel: 'Reading a file of a skill',
    completedLabel: 'Read a file of a skill',
    async execute({ skill, path, from_line: from }) {
      const it = found(skill, path)
      if (!it.ok) return { status: 'error', message: it.error }
      const lines = it.value.file.text.split('\n')
      const first = Number(from) - 1
      const shown = lines.slice(first, first + MOST_LINES)
      const rest = lines.length - first - shown.length
      return {
        status: 'success',
        output:
          rest > 0
            ? `${shown.join('\n')}\n[${rest} more lines, from line ${first + shown.length + 1}]`
            : shown.join('\n'),
      }
    },
  }
}
