import type { Json, Skill } from '@amodal/sdk'

/** A skill by its name, as models write it: `incident-response` for `Incident Response`. */
export function findSkill(skills: readonly Skill[], name: Json | undefined): Skill | undefined {
  if (typeof name !== 'string') return undefined
  return (
    skills.find((skill) => skill.name === name) ??
    skills.find((skill) => plain(skill.name) === plain(name))
  )
}

const plain = (name: string): string =>
  name
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-')
