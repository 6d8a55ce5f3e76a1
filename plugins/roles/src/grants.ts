import { matchesWildcard, type AgentBundle } from '@amodal/sdk'
import { EVERY_ROLE } from '@amodal/sdk/loop'
import { countedRoles, rolesOf } from './role.ts'

/** What several roles allow together: patterns of names. */
export interface Grants {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly connections: readonly string[]
}

const ALL: Grants = { tools: ['*'], skills: ['*'], connections: ['*'] }

export interface Granted {
  readonly grants: Grants
  /** Roles of the principal without a file: they allow nothing. */
  readonly unknown: readonly string[]
  /** The principal has no role, and there is no default role. */
  readonly none: boolean
}

/**
 * The union of what roles allow. An agent without role files allows everything; with role files,
 * only what they list. The person of the machine may use everything, unless a default role is set.
 */
export function grantsOf(
  bundle: AgentBundle,
  held: readonly string[],
  defaultRole: string | undefined,
): Granted {
  const { given, roles } = rolesOf(bundle)
  const names = countedRoles(held, defaultRole)
  if (!given || names.includes(EVERY_ROLE)) return { grants: ALL, unknown: [], none: false }
  const known = roles.filter(({ name }) => names.includes(name))
  const union = (of: (role: (typeof known)[number]) => readonly string[]): readonly string[] => {
    const patterns = [...new Set(known.flatMap(of))].sort()
    return patterns.includes('*') ? ['*'] : patterns
  }
  return {
    grants: {
      tools: union(({ tools }) => tools),
      skills: union(({ skills }) => skills),
      connections: union(({ connections }) => connections),
    },
    unknown: names.filter((name) => !known.some((role) => role.name === name)),
    none: names.length === 0,
  }
}

export const allows = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesWildcard(pattern, name))
export const isAll = ({ tools, skills, connections }: Grants): boolean =>
  [tools, skills, connections].every((patterns) => patterns.includes('*'))
