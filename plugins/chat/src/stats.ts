import type { JsonObject, SessionTotals, TotalsOf } from '@amodal/sdk'
import { dollars } from './session-shape.ts'

/**
 * What a tenant's sessions came to, in tokens and dollars; sums of the sessions' own rows, which
 * their journals add up to.
 */
export const stats = ({
  sessions,
  inputTokens,
  outputTokens,
  cost,
  lastActive,
  models,
  agents,
}: SessionTotals): JsonObject => ({
  sessions,
  tokens: { input: inputTokens, output: outputTokens, total: inputTokens + outputTokens },
  cost: dollars(cost),
  lastActive: lastActive === undefined ? null : new Date(lastActive).toISOString(),
  topModels: models.map(({ name: model, ...sums }) => ({ model, ...shown(sums) })),
  topAgents: agents.map(({ name: agent, ...sums }) => ({ agent, ...shown(sums) })),
})

const shown = ({
  sessions,
  inputTokens,
  outputTokens,
  cost,
}: Omit<TotalsOf, 'name'>): JsonObject => ({
  sessions,
  tokens: inputTokens + outputTokens,
  cost: dollars(cost),
})
