import { type GraphqlOperation, operationsIn } from '@amodal/plugin-connect-rest/tokens'
import type { AccessRule, AccessRules, Action } from '@amodal/sdk'

/** The paths of rules, each parsed once. */
const templates = new WeakMap<AccessRule, readonly string[]>()

/** The rules of `access.json` that may cover an action. */
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
 * Whether the rules determine what a response holds. They do not for a path with two
 * interpretations, nor for a query that names its own fields.
 */
export const isPlain = (action: Action): boolean =>
  !isGraphql(action) && !/[%;\\]|\/\//.test(action.path)

/** A query or mutation, which names fields of its answer as it likes. */
export const isGraphql = ({ method }: Action): boolean =>
  method === 'QUERY' || method === 'MUTATION'

const operations = new WeakMap<Action, readonly GraphqlOperation[]>()

/** The operations of a GraphQL request, read once. */
export function operationsOf(action: Action): readonly GraphqlOperation[] {
  const own = operations.get(action) ?? operationsIn(action)
  operations.set(action, own)
  return own
}

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
