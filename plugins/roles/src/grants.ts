import { matchesWildcard, type AgentBundle } from '@amodal/sdk'
import { rolesOf } from './role.ts'

/** What several roles allow together: patterns of names. */
export interface Grants {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly connections: readonly string[]
}

const ALL: Grants = { tools: ['*'], skills: ['*'], connections: ['*'] }

export interface Granted {
  readonly grants: Grants
  /** Roles of the principal that no file is of: they allow nothing. */
  readonly unknown: readonly string[]
  /** It has no role, and none is meant for those who have none. */
  readonly none: boolean
}

/**
 * What roles allow together. Without any file of roles that is everything; with one it is what they
 * say, and no more.
 */
export function grantsOf(
  bundle: AgentBundle,
  held: readonly string[],
  defaultRole: string | undefined,
): Granted {
  const { given, roles } = rolesOf(bundle)
  if (!given) return { grants: ALL, unknown: [], none: false }
  const names = held.length > 0 ? held : defaultRole === undefined ? [] : [defaultRole]
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
