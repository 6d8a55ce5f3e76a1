import type { AgentBundle, Skill } from '@amodal/sdk'
import { READ_SKILL_FILE } from './read-skill-file.ts'
import { filesOf } from './skill-files.ts'

/**
 * Name, purpose, trigger and steps, with an end that no heading of the text can be mistaken for.
 */
export function wholeSkill(skill: Skill, bundle: AgentBundle): string {
  return `<skill name="${skill.name.replaceAll('"', '&quot;')}">\n${skillText(skill, bundle)}\n</skill>`
}

/** One line of the index. */
export function skillEntry({ name, description, trigger }: Skill): string {
  return [`- **${name}**`, description, trigger === '' ? '' : `Trigger: ${trigger}`]
    .filter((part) => part !== '')
    .join(' – ')
}

/**
 * What a skill says, without its name: its text, what it needs, and which files stand beside it.
 */
export function skillText(skill: Skill, bundle: AgentBundle): string {
  const { description, trigger, body, compatibility, allowedTools = [] } = skill
  const files = [...filesOf(bundle, skill).keys()]
  return [
    description,
    trigger === '' ? '' : `Trigger: ${trigger}`,
    compatibility === undefined ? '' : `Needs: ${compatibility}`,
    allowedTools.length === 0
      ? ''
      : `Tools it works with, where they are there: ${allowedTools.join(', ')}`,
    body,
    files.length === 0
      ? ''
      : `Files of this skill, to be read with \`${READ_SKILL_FILE}\`: ${files.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
