import type { AccessRule, AccessRules, Action } from '@amodal/sdk'
import { nameKey } from '@amodal/sdk/connections'
import { httpMethodOf } from './action.ts'
import { readingsOf } from './canonical.ts'
import { readOperations } from './graphql-operations.ts'

/**
 * Entities that the answer to an action may hold, by their {@link nameKey}: of every rule that
 * could be meant, in any reading of the path.
 *
 * @returns `undefined` where no rule says anything
 */
export function returnedEntities(
  { rules }: Pick<AccessRules, 'rules'>,
  action: Action,
  basePath: string,
): ReadonlySet<string> | undefined {
  const method = httpMethodOf(action)
  const readings = readingsOf(action.path).map(segmentsOf)
  const fields =
    action.method === 'QUERY' || action.method === 'MUTATION'
      ? new Set(
          [...readOperations(action.body ?? { query: action.query['query']?.[0] ?? '' })].flatMap(
            (one) => one.fields,
          ),
        )
      : undefined
  const base = segmentsOf(basePath)
  const meant = rules.filter((rule) => {
    if (rule.returns.length === 0) return false
    if (rule.method === 'QUERY' || rule.method === 'MUTATION')
      return fields !== undefined && (rule.path === '*' || fields.has(rule.path))
    return (
      isFor(rule, method) &&
      templatesOf(rule, base).some((template) => readings.some((path) => fits(template, path)))
    )
  })
  return meant.length === 0
    ? undefined
    : new Set(meant.flatMap(({ returns }) => returns.map(nameKey)))
}

/**
 * The row that a POST names: its path up to the last segment that a rule leaves open, such as
 * `{id}`.
 */
export function namedRow(
  { rules }: Pick<AccessRules, 'rules'>,
  { path, method }: Action,
  basePath: string,
): string | undefined {
  const given = path.split('/').filter((segment) => segment !== '')
  const segments = segmentsOf(path)
  const base = segmentsOf(basePath)
  for (const template of rules
    .filter((rule) => isFor(rule, method))
    .flatMap((rule) => templatesOf(rule, base))) {
    const open = template.findLastIndex((segment) => segment.includes('{') || segment === '*')
    if (open >= 0 && fits(template, segments)) return `/${given.slice(0, open + 1).join('/')}`
  }
  return undefined
}

const isFor = (rule: AccessRule, method: string): boolean =>
  rule.method === '*' || rule.method === method || (method === 'HEAD' && rule.method === 'GET')

/** Rules are written with the base path or without it. */
function templatesOf(
  { path }: AccessRule,
  base: readonly string[],
): readonly (readonly string[])[] {
  const template = segmentsOf(path)
  return [[...base, ...template], template]
}

const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map((segment) => segment.normalize('NFC').toLowerCase())

function fits(
  [first, ...template]: readonly string[],
  [segment, ...path]: readonly string[],
): boolean {
  if (first === '**') return true
  if (first === undefined || segment === undefined) return first === segment
  return (/[{*]/.test(first) || plain(first) === plain(segment)) && fits(template, path)
}

const plain = (segment: string): string =>
  segment.replace(/(?:%[0-9a-f]{2})+/gi, (code) => {
    try {
      return decodeURIComponent(code)
    } catch {
      return code
    }
  })
