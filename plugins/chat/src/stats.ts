import type { JsonObject, SessionTotals, TotalsOf } from '@amodal/sdk'
import { dollars } from './session-shape.ts'

/**
 * The totals of a tenant's sessions in tokens and dollars: the sums of the session rows, which are
 * the sums of their journals.
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
