import { defineTool } from '@amodal/sdk'
import { z } from 'zod'
import { approved, entering } from './state.ts'

/** Lets the model enter plan mode itself, before larger changes. */
export const enterPlanMode = defineTool({
  name: 'enter_plan_mode',
  description:
    'Begins plan mode: nothing can be changed until a person has approved a plan. Use it before work that changes several things or is hard to undo.',
  readOnly: true,
  internal: true,
  input: z.object({ reason: z.string().optional().describe('Why a plan is wanted') }),
  execute: async () => ({
    status: 'success',
    output: 'Plan mode: look around with what only reads, then call `propose_plan`.',
    sessionState: entering,
    events: [{ type: 'plan_mode', action: 'enter' }],
  }),
})

/**
 * Asks a person to approve a plan. It uses the approval mechanism, so that it waits, expires and
 * survives restarts like any other approval.
 */
export const proposePlan = defineTool({
  name: 'propose_plan',
  description:
    'Shows a person the plan for what you are about to change and waits for their approval. Say each change, its target and its values, in the order you will make them.',
  readOnly: true,
  tier: 'review',
  runningLabel: 'Proposing a plan',
  completedLabel: 'Plan approved',
  input: z.object({
    plan: z
      .string()
      .min(1)
      .max(20_000)
      .describe('The plan in Markdown: numbered steps, each with what is changed and how'),
  }),
  execute: async ({ plan }, { run }) => ({
    status: 'success',
    output: 'The plan is approved. Carry it out step by step, and nothing beyond it.',
    sessionState: approved(plan, run),
    events: [{ type: 'plan_mode', action: 'approve', plan }],
  }),
})
