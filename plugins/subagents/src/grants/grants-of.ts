import type { RunContext } from '@amodal/sdk'
import { childOf } from '../child.ts'
import { definitionsOf } from '../definition.ts'
import { mainGrants, type AgentGrants } from './grants.ts'

/** What the agent of a run may use at most; `undefined`: whatever there is. */
export function grantsOf(
  ctx: Pick<RunContext, 'bundle' | 'delegated' | 'sessionState'>,
): AgentGrants | undefined {
  const child = childOf(ctx)
  return child ? definitionsOf(ctx.bundle).get(child.agent)?.grants : mainGrants(ctx.bundle)
}
