import { type AccessRule, matchesWildcard } from '@amodal/sdk'
import {
  compareTemplates,
  matchTemplate,
  parseTemplate,
  withoutBase,
  type Parameters,
  type Template,
} from '@amodal/sdk/connections'

/** A rule that covers a request, and the values of its parameters. */
export interface Covering {
  readonly rule: AccessRule
  readonly parameters: Parameters
}

interface PathRule {
  readonly rule: AccessRule
  readonly template: Template
}

/** The compiled rules of one connection. */
export class RuleBook {
  readonly #paths: readonly PathRule[]
  readonly #named: readonly AccessRule[]

  /** @param base segments that the connection's address ends in: a rule may hold them or not */
  constructor(rules: readonly AccessRule[], base: readonly string[]) {
    this.#named = rules.filter(({ method }) => isNamed(method))
    this.#paths = rules.flatMap((rule) => {
      const template = isNamed(rule.method) ? undefined : parseTemplate(rule.path)
      if (!template?.ok) return []
      const below = withoutBase(template.value, base)
      return [template.value, ...(below ? [below] : [])].map((one) => ({ rule, template: one }))
    })
  }

  /**
   * The rules for a path in one reading: the most specific, and those that are as specific as it.
   *
   * @param numeric see {@link matchTemplate}
   */
  onPath(method: string, segments: readonly string[], numeric: boolean): readonly Covering[] {
    let best: PathRule | undefined
    let covering: Covering[] = []
    for (const one of this.#paths) {
      const near = nearness(one.rule.method, method)
      const parameters = near === 0 ? undefined : matchTemplate(one.template, segments, numeric)
      if (!parameters) continue
      const distance = best
        ? compareTemplates(one.template, best.template) || near - nearness(best.rule.method, method)
        : 1
      if (distance > 0) [best, covering] = [one, []]
      if (distance >= 0) covering.push({ rule: one.rule, parameters })
    }
    return covering
  }

  /** The rules for a field of GraphQL: its own, else the one for any. Names have case there. */
  onField(kind: 'QUERY' | 'MUTATION', field: string | undefined): readonly Covering[] {
    const ofKind = this.#named.filter(({ method }) => method === kind)
    return covered(
      firstOf([
        ofKind.filter(({ path }) => path === field),
        ofKind.filter(({ path }) => path === '*'),
      ]),
    )
  }

  /**
   * The rules for a tool of an MCP server: its own, else the longest pattern (`github_*`), else
   * what covers any path.
   */
  onTool(name: string): readonly Covering[] {
    const calls = this.#named.filter(({ method, path }) => method === 'CALL' && covers(path, name))
    const longest = Math.max(...calls.map(({ path }) => nearnessOfPattern(path)))
    const named = calls.filter(({ path }) => nearnessOfPattern(path) === longest)
    return named.length > 0 ? covered(named) : this.onPath('CALL', [name.toLowerCase()], false)
  }
}

const isNamed = (method: string): boolean =>
  method === 'QUERY' || method === 'MUTATION' || method === 'CALL'
const covered = (rules: readonly AccessRule[]): readonly Covering[] =>
  rules.map((rule) => ({ rule, parameters: new Map<string, string>() }))
const firstOf = (lists: readonly (readonly AccessRule[])[]): readonly AccessRule[] =>
  lists.find((list) => list.length > 0) ?? []

/**
 * How near the method of a rule is to the one of a request; 0: it is another. HEAD is a GET without
 * the body.
 */
function nearness(rule: string, method: string): number {
  if (rule === method) return 3
  if (rule === 'GET' && method === 'HEAD') return 2
  return rule === '*' ? 1 : 0
}

/** Servers name their tools in one case; a rule in another is meant all the same. */
const covers = (pattern: string, name: string): boolean =>
  matchesWildcard(pattern.toLowerCase(), name.toLowerCase())
const nearnessOfPattern = (pattern: string): number =>
  pattern.includes('*') ? pattern.replaceAll('*', '').length : Infinity
