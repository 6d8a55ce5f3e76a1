import type { Skill } from '@amodal/sdk'
import { bundleFor } from './resources.ts'
import type { McpRequest } from './server-parts.ts'

/** The skills of the agent, as prompts that a person chooses. */
export const skillsFor = (request: McpRequest): readonly Skill[] => bundleFor(request)?.skills ?? []

export const listedPrompt = ({ name, description }: Skill) => ({
  name,
  title: name,
  ...(description !== '' && { description }),
  arguments: [{ name: 'request', description: 'What to do with it', required: false }],
})

/** The text of a skill, and what to do with it. */
export function promptText(
  { description, trigger, body }: Skill,
  request: string | undefined,
): string {
  return [
    description,
    trigger === '' ? '' : `Trigger: ${trigger}`,
    body,
    request === undefined || request.trim() === '' ? '' : `Do this with it: ${request}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
