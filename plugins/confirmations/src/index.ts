import { Agent, ApprovalPolicy, definePlugin, type Answerer } from '@amodal/sdk'
import { REVOKE_GRANT, SessionChanges } from '@amodal/sdk/loop'
import { z } from 'zod'
import { revokeGrant } from './revoke-grant.ts'
import { createRoutes, ROUTE } from './routes.ts'
import { approvalPolicy } from './policy.ts'
import { StandIns } from './tokens.ts'

const people = z.array(z.string().min(1)).min(1)

/**
 * The rules of approvals: how long a question waits, who may answer, and how a grant for a
 * conversation is revoked. The loop asks, stores and runs what was approved.
 */
export const confirmations = definePlugin({
  name: 'confirmations',
  version: '0.1.0',
  provides: [ApprovalPolicy],
  optional: { agent: Agent, standIns: StandIns },
  config: z.strictObject({
    expiresMinutes: z
      .number()
      .min(0)
      .max(525_600)
      .default(60)
      .describe('Minutes until a question expires; 0: never.'),
    answeredBy: people
      .default(['asker'])
      .describe('Who may answer: `asker`, `other` (not the asker), `anyone`, or names of roles.'),
    reviewedBy: people
      .optional()
      .describe('The same for calls that need a review; `answeredBy` where it is left out.'),
  }),
  setup({ config, provide, add, hooks, generation, deps: { agent } }) {
    const standsIn = (answerer: Answerer): boolean =>
      [...generation().registry(StandIns).values()].some((standIn) => standIn(answerer))
    provide(ApprovalPolicy, () => approvalPolicy({ ...config, standsIn }))
    add(SessionChanges, REVOKE_GRANT, revokeGrant)
    if (agent)
      hooks.http.routes.tap((table) =>
        table.mount(ROUTE, createRoutes(agent), { scope: 'sessions' }),
      )
  },
})

export default confirmations
