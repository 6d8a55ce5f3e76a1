import type { AgentBundle, PromptSection, ToolList } from '@amodal/sdk'
import { estimateTokens } from '@amodal/plugin-prompt/tokens'
import { ACTIVATE_SKILL } from './active.ts'
import { skillEntry, wholeSkill } from './skill-text.ts'

const INTRO =
  'Each skill is a methodology for one kind of situation. When what is asked or what you find fits a skill, follow its steps; change to another skill when your findings point there.'

/** Whether the bodies of all skills may stand in every prompt. */
export function fitsInline(bundle: AgentBundle, inlineTokens: number): boolean {
  return (
    estimateTokens(
      bundle.skills.reduce((sum, skill) => sum + wholeSkill(skill, bundle).length, 0),
    ) <= inlineTokens
  )
}

/**
 * The section of the prompt: whole skills, or their names and triggers where they are read by a
 * tool.
 */
export function skillSections(
  bundle: AgentBundle,
  { tools }: ToolList,
  inlineTokens: number,
): readonly PromptSection[] {
  const { skills } = bundle
  if (skills.length === 0) return []
  const inline = fitsInline(bundle, inlineTokens)
  const texts = skills.map((skill) => (inline ? wholeSkill(skill, bundle) : skillEntry(skill)))
  const indexed = tools.some(({ name }) => name === ACTIVATE_SKILL)
    ? ` Read a skill with \`${ACTIVATE_SKILL}\` before you follow it.`
    : ' Their steps cannot be read here: say so when one would be needed.'
  const how = inline ? '' : indexed
  return [
    {
      id: 'skills',
      title: 'Skills',
      weight: 30,
      category: 'skill',
      body: [`${INTRO}${how}`, texts.join(inline ? '\n\n' : '\n')].join('\n\n'),
      parts: skills.map(({ name, file }, index) => ({
        name,
        chars: texts[index]?.length ?? 0,
        file,
      })),
    },
  ]
}
