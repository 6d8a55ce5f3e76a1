import type { AgentBundle, Message, PromptSection, RunContext, Skill } from '@amodal/sdk'
import { wholeSkill } from './skill-text.ts'

export const ACTIVATE_SKILL = 'activate_skill'

/** In the session's state, by skill, so that two of them can be activated at once. */
const ACTIVE = 'skills/'
export const activeKey = ({ name }: Skill): string => `${ACTIVE}${name}`

/** How the result of an activation begins. */
export const openingOf = ({ name }: Skill): string => `# ${name}\n\n`

/**
 * Activated skills whose text was removed from the conversation by a summary: they are added to the
 * prompt from then on. Until then the model has them from the result of the call, and the prompt
 * does not change.
 */
export function summarisedSkills({
  bundle,
  sessionState,
  messages,
}: Pick<RunContext, 'bundle' | 'sessionState' | 'messages'>): readonly Skill[] {
  const active = bundle.skills.filter((skill) => sessionState[activeKey(skill)] === true)
  if (active.length === 0) return []
  const given = messages.flatMap(activationsIn)
  return active.filter((skill) => !given.some((text) => text.startsWith(openingOf(skill))))
}

/** Results of `activate_skill`. */
const activationsIn = (message: Message): readonly string[] =>
  message.role === 'tool'
    ? message.content.flatMap((part) =>
        part.type === 'tool-result' &&
        part.toolName === ACTIVATE_SKILL &&
        part.output.type === 'text'
          ? [part.output.value]
          : [],
      )
    : []

export function activeSection(skills: readonly Skill[], bundle: AgentBundle): PromptSection {
  const texts = skills.map((skill) => wholeSkill(skill, bundle))
  return {
    id: 'active-skills',
    title: 'Active skills',
    weight: 70,
    category: 'skill',
    body: [
      'You activated these skills earlier in this conversation. Go on by them where they still apply.',
      ...texts,
    ].join('\n\n'),
    parts: skills.map(({ name, file }, at) => ({ name, chars: texts[at]?.length ?? 0, file })),
  }
}
