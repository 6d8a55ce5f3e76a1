import {
  registry,
  type AgentBundle,
  type PreparedCall,
  type RunContext,
  type ToolDefinition,
} from '@amodal/sdk'
import { definitionsOf, type Definition } from './definition.ts'
import { callSubagent } from './grants/call-subagent.ts'
import { mostGrants } from './grants/effective-grants.ts'
import { allows, grantedTools, mainGrants } from './grants/grants.ts'
import { grantsOf } from './grants/grants-of.ts'

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
  const grants = [mainGrants(bundle), ...agentsOf(bundle).map((agent) => agent.grants)].map(
    (one) => one && mostGrants(one),
  )
  const modes = new Map<string, 'read' | 'rw'>()
  for (const [store, mode] of grants.flatMap((one) => Object.entries(one?.stores ?? {})))
    if (mode === 'rw' || !modes.has(store)) modes.set(store, mode)
  return modes
}

/** The tool with which tools of the agent call sub-agents; no model is shown it. */
export const SUBAGENT_OF_TOOL = 'tool__call_subagent'

/**
 * Makes the hidden tool that hands a task of another tool to a sub-agent.
 *
 * @param names those that tools may call
 * @example
 * subagentOfTool(bundle, ['botanist']) // called with { name: 'botanist', task: 'Name it.' }
 */
export const subagentOfTool = (bundle: AgentBundle, names: readonly string[]): ToolDefinition => ({
  ...callSubagent(bundle, names),
  name: SUBAGENT_OF_TOOL,
  hidden: true,
})

/**
 * Calls that no model has chosen: the lists of `agent.json` do not limit them.
 *
 * @example
 * add(OwnCalls, 'mine', (call, ctx) => call.id === chosenBy(ctx))
 */
export const OwnCalls = registry<(call: PreparedCall, ctx: RunContext) => boolean>('own-calls')

/**
 * Whether the model of a run may call a tool, as far as an `agent.json` limits it.
 *
 * @example
 * mayCall('remember', ctx) // false where the list of tools names no memory
 */
export function mayCall(
  tool: string,
  ctx: Pick<RunContext, 'bundle' | 'delegated' | 'sessionState'>,
): boolean {
  const grants = grantsOf(ctx)
  return grants === undefined || allows(grantedTools(grants), tool)
}

export { AgentCode, type ConditionContext } from './grants/agent-code.ts'
