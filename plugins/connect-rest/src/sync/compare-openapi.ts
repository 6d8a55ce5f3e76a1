import { createRequire } from 'node:module'
import type * as ApiSmartDiff from 'api-smart-diff'
import type { Diff } from 'api-smart-diff'
import type { JsonObject } from '@amodal/sdk'
import type { ApiChange, ChangeKind } from './api-change.ts'

/** Loaded by the first comparison. */
const apiSmartDiff = (): typeof ApiSmartDiff =>
  createRequire(import.meta.url)('api-smart-diff') as typeof ApiSmartDiff

/**
 * Compares two OpenAPI 3 documents. An agent reads what it gets and sends what it was shown, so a
 * property that answers no longer have is breaking for it, and so is another type.
 */
export function compareOpenApi(before: JsonObject, after: JsonObject): readonly ApiChange[] {
  const { diffs } = apiSmartDiff().apiCompare(before, after)
  return diffs.flatMap((diff) => changeOf(diff) ?? [])
}

function changeOf(diff: Diff): ApiChange | undefined {
  const [area, first, second, ...more] = diff.path.map(String)
  if (area === 'paths' && first !== undefined)
    return {
      kind: kindOf(diff),
      text: textOf(diff),
      ...(second !== undefined && { operation: operationOf(first, second) }),
    }
  if (area !== 'components' || first !== 'schemas' || second === undefined) return undefined
  // What operations make of a schema is among their own changes; rules name its fields.
  const [properties, name, what, ...deeper] = more
  const isField =
    properties === 'properties' &&
    name !== undefined &&
    deeper.length === 0 &&
    ((what === undefined && diff.action === 'remove') || what === 'type')
  return isField
    ? {
        kind: 'breaking',
        text: `${WORDS[diff.action]} ${what === 'type' ? 'type of ' : ''}field ${second}.${name}`,
        field: { schema: second, name },
      }
    : undefined
}

const METHOD = /^(?:get|put|post|delete|options|head|patch|trace|query)$/

const operationOf = (path: string, method: string): string =>
  METHOD.test(method) ? `${method.toUpperCase()} ${path}` : `* ${path}`

function kindOf({ action, path, type }: Diff): ChangeKind {
  if (type === 'annotation' || path.some((key) => String(key).startsWith('x-'))) return 'wording'
  if (type === 'breaking' || type === 'unclassified') return 'breaking'
  const isAnswer = path.includes('responses')
  const isProperty = path.at(-2) === 'properties'
  const isType = path.at(-1) === 'type'
  return (isAnswer && isProperty && action === 'remove') || (isType && action !== 'add')
    ? 'breaking'
    : 'compatible'
}

const WORDS: Readonly<Record<string, string>> = {
  add: 'added',
  remove: 'removed',
  replace: 'replaced',
  rename: 'renamed',
}

function textOf({ action, description, path }: Diff): string {
  const [, verb, what] = /^\[(\w+)\] (.*)$/s.exec(description ?? '') ?? []
  if (verb !== undefined && what !== undefined) return `${verb.toLowerCase()} ${what}`
  return `${WORDS[action] ?? action} ${path.slice(2).join('.')}`
}
