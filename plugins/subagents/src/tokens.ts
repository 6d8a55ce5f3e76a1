import type { AgentBundle } from '@amodal/sdk'
import { definitionsOf, type Definition } from './definition.ts'
import { mainGrants } from './grants/grants.ts'

export type { Definition as SubagentDefinition, ModelTier } from './definition.ts'

/**
 * The agents of a bundle's `agents/` folder, without those that come with the product.
 *
 * @example
 * agentsOf(bundle).map(({ name }) => name) // ['researcher']
 */
export const agentsOf = (bundle: AgentBundle): readonly Definition[] =>
  [...definitionsOf(bundle).values()].filter(({ file }) => file !== undefined)

/**
 * The stores that `agent.json` files grant, each with the most that any agent may do there.
 *
 * @example
 * grantedStores(bundle).get('beds') // 'rw'
 */
export function grantedStores(bundle: AgentBundle): ReadonlyMap<string, 'read' | 'rw'> {
  const grants = [mainGrants(bundle), ...agentsOf(bundle).map((agent) => agent.grants)]
  const modes = new Map<string, 'read' | 'rw'>()
  for (const [store, mode] of grants.flatMap((one) => Object.entries(one?.stores ?? {})))
    if (mode === 'rw' || !modes.has(store)) modes.set(store, mode)
  return modes
}
