import type { AgentBundle, PromptSection } from '@amodal/sdk'

/** How the agent works where its folder has no `agents/main`. */
const DEFAULT_INSTRUCTIONS = `- Find out with the tools you have before you answer; do not guess what a tool can tell you.
- Say plainly when something is missing, unclear or has failed, and what you would need.
- Base every number and name on what you were told or have looked up.
- Say what you are about to change before you change it.
- Answer briefly, in the language of the person you talk to.`

/**
 * Who the agent is and how it works: `userContext` first and word for word, as the manifest has it.
 */
export function coreSections({ manifest, instructions }: AgentBundle): readonly PromptSection[] {
  const { name, description, userContext } = manifest
  const work = instructions?.body ?? DEFAULT_INSTRUCTIONS
  const whole = (
    id: string,
    title: string,
    weight: number,
    body: string,
    file: string | undefined,
  ): PromptSection => ({
    id,
    title,
    body,
    weight,
    category: 'system',
    parts: [{ name: id, chars: body.length, ...(file !== undefined && { file }) }],
  })
  return [
    ...(userContext === undefined
      ? []
      : [whole('user-context', '', 0, userContext, 'amodal.json')]),
    whole(
      'identity',
      '',
      5,
      `You are ${name}.${description === undefined ? '' : ` ${description}`}`,
      'amodal.json',
    ),
    whole(
      'instructions',
      work.startsWith('# ') ? '' : 'Instructions',
      10,
      work,
      instructions?.file,
    ), // a text with a title needs no second one
  ]
}
