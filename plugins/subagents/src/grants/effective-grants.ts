import type { AgentBundle, JsonObject } from '@amodal/sdk'
import { automationOf } from '@amodal/plugin-automations/tokens'
import type { RunOpening } from '@amodal/plugin-loop/tokens'
import { definitionsOf } from '../definition.ts'
import type { AgentCode, Conditional, ConditionContext } from './agent-code.ts'
import { mainGrants, mainGrantsPart, type AgentGrants } from './grants.ts'

/** The grants of one run: those without a condition, and those whose condition is true. */
export async function effectiveGrants(
  grants: AgentGrants,
  agent: string | undefined,
  bundle: AgentBundle,
  opening: RunOpening,
  code: () => AgentCode | undefined,
): Promise<AgentGrants> {
  const { conditional = [], code: file } = grants
  const fixed = leastGrants(grants)
  if (conditional.length === 0 || file === undefined) return fixed
  const evaluated = await code()?.evaluate(
    bundle,
    file,
    contextOf(agent ?? 'default', agent !== undefined, opening),
    opening.signal,
  )
  // A condition of which nothing is known is false.
  const held = evaluated?.ok === true ? evaluated.value : []
  return withHeld(
    fixed,
    conditional.filter(({ at }) => held.includes(at)),
  )
}

const withHeld = (grants: AgentGrants, held: readonly Conditional[]): AgentGrants =>
  held.reduce<AgentGrants>(
    (all, { list, name, mode = 'read' }) =>
      list === 'stores'
        ? { ...all, stores: { ...all.stores, [name]: mode } }
        : { ...all, [list]: [...all[list], name] },
    grants,
  )

/** What an agent has in every run, as if each condition were false. */
export const leastGrants = ({
  conditional: _conditions,
  code: _code,
  ...fixed
}: AgentGrants): AgentGrants => fixed

/** All that an agent may ever have, whatever its conditions say. */
export const mostGrants = ({ conditional = [], ...fixed }: AgentGrants): AgentGrants =>
  withHeld(fixed, conditional)

function contextOf(agentName: string, isSubagent: boolean, opening: RunOpening): ConditionContext {
  const { principal, roles = [], context = {}, tenant } = opening
  const isPerson = automationOf(principal) === undefined
  return {
    claims: { sub: principal, roles },
    context,
    scopeId: tenant,
    ...(isPerson && { userId: principal }),
    humanPresent: isPerson,
    isSubagent,
    agentName,
  }
}

/** The bundle in which one agent has these grants. */
export function bundleWithGrants(
  bundle: AgentBundle,
  agent: string | undefined,
  grants: AgentGrants,
): AgentBundle['parts'] {
  if (agent === undefined) return { ...bundle.parts, ...mainGrantsPart(grants) }
  if (mainGrants(bundle) === undefined && !definitionsOf(bundle).has(agent)) return bundle.parts
  const subagents = (bundle.parts['subagents'] ?? []) as readonly JsonObject[] // by `readAgents`
  return {
    ...bundle.parts,
    subagents: subagents.map((one) => (one['name'] === agent ? { ...one, grants } : one)),
  }
}
