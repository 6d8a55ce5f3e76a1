import type { AccessRule, AccessRules, Action } from '@amodal/sdk'

/** The paths of rules, each taken apart once. */
const templates = new WeakMap<AccessRule, readonly string[]>()

/** The rules of `access.json` that an action may be meant by. */
export function rulesFor(
  { rules }: Pick<AccessRules, 'rules'>,
  action: Action,
): readonly AccessRule[] {
  const path = segmentsOf(action.path)
  const base = segmentsOf(action.base ?? '')
  return rules.filter((rule) => {
    if (
      rule.method !== '*' &&
      rule.method !== action.method &&
      !(action.method === 'HEAD' && rule.method === 'GET')
    )
      return false
    const template = templates.get(rule) ?? segmentsOf(rule.path)
    templates.set(rule, template)
    return fits(template, path) || fits([...base, ...template], path)
  })
}

/**
 * Whether it is plain from the rules what an answer holds. A path that can be read in two ways is
 * not; nor is a query that names its own fields.
 */
export const isPlain = ({ method, path }: Action): boolean =>
  method !== 'QUERY' && method !== 'MUTATION' && !/[%;\\]|\/\//.test(path)

const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.normalize('NFC').toLowerCase())

function fits(
  [first, ...template]: readonly string[],
  [segment, ...path]: readonly string[],
): boolean {
  if (first === '**') return true
  if (first === undefined || segment === undefined) return first === segment
  return (/[{*]|^:/.test(first) || first === segment) && fits(template, path)
}
