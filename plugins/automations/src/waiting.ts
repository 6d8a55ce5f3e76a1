import { defineRuntimeEvent, type AgentBundle, type HookTaps } from '@amodal/sdk'
import type { StandIn } from '@amodal/plugin-confirmations/tokens'
import { z } from 'zod'
import { rightsOf } from './rights.ts'
import { automationOf, automationRunOf } from './run-state.ts'
import type { Ref } from './run.ts'

export const AutomationWaiting = defineRuntimeEvent({
  type: 'automations.waiting',
  about: 'A run of an automation waits for a person to approve a call.',
  data: z.object({
    automation: z.string(),
    run: z.string(),
    session: z.string(),
    asks: z.number(),
  }),
})

/**
 * Goes on with runs whose questions were answered, or have expired: their sessions leave the state
 * `confirming` then, in this process or in another one.
 */
export function tapAnswers(hooks: HookTaps, wake: (run: Ref) => void): void {
  hooks.state.changed.tap((from, to, ctx) => {
    if (from !== 'confirming' || to === 'confirming') return
    const run = automationRunOf(ctx)
    if (run?.waits === true) wake({ tenant: ctx.tenant, id: run.run })
  })
}

/** An automation is no person: whoever may run it answers for it. */
export const standIn =
  (bundle: () => AgentBundle | undefined): StandIn =>
  ({ asker, roles }) =>
    automationOf(asker) !== undefined && rightsOf(bundle(), { roles }).manage
