import { ApprovalPolicy, definePlugin } from '@amodal/sdk'
import { z } from 'zod'
import { approvalPolicy } from './policy.ts'

const people = z.array(z.string().min(1)).min(1)

/**
 * The rules of approvals: how long a question waits, and who may answer.
 * The loop asks, stores and runs what was approved, and applies these rules.
 */
export const confirmations = definePlugin({
  name: 'confirmations',
  version: '0.1.0',
  provides: [ApprovalPolicy],
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
  setup({ config, provide }) {
    provide(ApprovalPolicy, () => approvalPolicy(config))
  },
})

export default confirmations
