import type { Skill } from '@amodal/sdk'

/** Name, purpose, trigger and steps, with an end that no heading of the text can be mistaken for. */
export function wholeSkill(skill: Skill): string {
  return `<skill name="${skill.name.replaceAll('"', '&quot;')}">\n${skillText(skill)}\n</skill>`
}

/** One line of the index. */
export function skillEntry({ name, description, trigger }: Skill): string {
  return [`- **${name}**`, description, trigger === '' ? '' : `Trigger: ${trigger}`].filter((part) => part !== '').join(' – ')
}

/** What a skill says, without its name. */
export function skillText({ description, trigger, body }: Skill): string {
  const opening = [description, trigger === '' ? '' : `Trigger: ${trigger}`].filter((part) => part !== '')
  return [...opening, body].join('\n\n')
}
