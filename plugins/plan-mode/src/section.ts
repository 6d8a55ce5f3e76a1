import type { PromptSection } from '@amodal/sdk'

/**
 * The last section of the prompt: that the session is in plan mode, or which plan was approved.
 * Empty otherwise.
 */
export function planSection(
  planning: boolean,
  plan: string | undefined,
): PromptSection | undefined {
  const common = { id: 'plan', weight: 90, category: 'other' } as const
  if (planning) {
    return {
      ...common,
      title: 'Plan mode',
      body: 'This session is in plan mode: every call that changes something is refused. Find out what you need with calls that only read, then call `propose_plan` with every change you want to make. A person decides.',
    }
  }
  return plan === undefined
    ? undefined
    : {
        ...common,
        title: 'Approved plan',
        body: `A person has approved this plan. Carry it out, and change nothing that it does not name.\n\n${plan}`,
      }
}
