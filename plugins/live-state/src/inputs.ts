import type { RunContext } from '@amodal/sdk'
import type { StateProperty } from './declaration.ts'
import type { ExpressionInputs } from './expressions.ts'
import { valuesOf } from './stored-state.ts'

/**
 * What the expressions of a run are evaluated over. None of it changes while the run is driven, and
 * a run that goes on after a crash has the same.
 */
export const inputsOf = (
  { principal, roles, tenant, sessionState, startedAt = 0 }: RunContext,
  properties: readonly StateProperty[],
): ExpressionInputs => ({
  state: valuesOf(sessionState, properties),
  principal: { id: principal, roles, tenant },
  now: startedAt,
})
