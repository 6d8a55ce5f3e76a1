import type { JsonObject, SessionTotals } from '@amodal/sdk'
import { dollars } from './session-shape.ts'

/** What a tenant's sessions came to, in tokens and dollars; sums of the sessions' own rows, which their journals add up to. */
export const stats = ({ sessions, inputTokens, outputTokens, cost, lastActive, models }: SessionTotals): JsonObject => ({
  sessions,
  tokens: { input: inputTokens, output: outputTokens, total: inputTokens + outputTokens },
  cost: dollars(cost),
  lastActive: lastActive === undefined ? null : new Date(lastActive).toISOString(),
  topModels: models.map((one) => ({
    model: one.model, sessions: one.sessions, tokens: one.inputTokens + one.outputTokens, cost: dollars(one.cost),
  })),
})
