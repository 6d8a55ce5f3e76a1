import { type GraphqlOperation, operationsIn } from '@amodal/plugin-connect-rest/tokens'
import type { AccessRule, AccessRules, Action } from '@amodal/sdk'
import { stemOf } from './names.ts'

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
    const template = segmentsOf(rule.path)
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

/** Whatever GraphQL does not read: blanks, commas and comments. */
const IGNORED = String.raw`(?:[\s,\uFEFF]|#[^\n\r]{0,500}[\n\r])*`
const ALIAS = new RegExp(String.raw`([_A-Za-z]\w*)${IGNORED}:${IGNORED}([_A-Za-z]\w*)`, 'g')

/**
 * The names of fields in the schema, by the stem of the alias that a GraphQL request gives them.
 * Documents that cannot be parsed are scanned for possible aliases.
 */
export function aliasesOf(action: Action): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>()
  if (!isGraphql(action)) return aliases
  const add = (alias: string, name: string): void =>
    void aliases.set(stemOf(alias), [...(aliases.get(stemOf(alias)) ?? []), name])
  for (const { aliases: own = [] } of operationsOf(action))
    for (const { alias, name } of own) add(alias, name)
  const { body, query } = action
  const text = [
    ...(query['query'] ?? []),
    typeof body === 'string' ? body : JSON.stringify(body ?? ''),
  ]
    .join('\n')
    .replaceAll(/\\[nrt]/g, '\n')
  for (const [, alias = '', name = ''] of text.matchAll(ALIAS)) add(alias, name)
  return aliases
}
