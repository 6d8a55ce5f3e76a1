import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { valueAt } from '@amodal/sdk/files'
import type { Shaping } from './custom-tool.ts'
import { fillText } from './placeholders.ts'

/**
 * Makes a small result from a large one: `pick` keeps paths, `rename` puts a path under a name at
 * the top, `template` writes a text. A list is shaped item by item.
 *
 * @example
 * shape(
 *   { status: { phase: 'Running' } },
 *   { pick: ['status.phase'], rename: { 'status.phase': 'phase' } },
 * )
 * // → { phase: 'Running' }
 */
export function shape(value: Json, shaping: Shaping | undefined): Json {
  if (!shaping) return value
  if (isList(value)) {
    const items = value.map((item) => shape(item, shaping))
    return shaping.template === undefined ? items : items.map(asText).join('\n')
  }
  if (!isObject(value)) return value
  const { pick, rename = {}, template } = shaping
  const kept = pick
    ? pick.map(partsOf).reduce<Json>((made, path) => merge(made, project(value, path)), {})
    : value
  const named = Object.entries(rename).reduce<Json>(
    (made, [path, name]) => moved(made, partsOf(path), name),
    kept,
  )
  return template === undefined
    ? named
    : fillText(template, (name) => valueAt(named, [name]) ?? reach(named, partsOf(name)))
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
const partsOf = (path: string): readonly string[] => path.replaceAll('[]', '').split('.')

/** The value with this path only; in a list, of each item. */
function project(value: Json | undefined, [head, ...rest]: readonly string[]): Json | undefined {
  if (head === undefined || value === undefined) return value
  if (isList(value)) return value.map((item) => project(item, [head, ...rest]) ?? {})
  const part = valueAt(value, [head])
  const below = part === undefined ? undefined : project(part, rest)
  return below === undefined ? undefined : { [head]: below }
}

function merge(one: Json, other: Json | undefined): Json {
  if (other === undefined) return one
  if (isList(one) && isList(other)) return one.map((item, index) => merge(item, other[index]))
  if (!isObject(one) || !isObject(other)) return other
  const entries = Object.entries(other).map(
    ([key, value]) =>
      [key, Object.hasOwn(one, key) ? merge(one[key] ?? null, value) : value] as const,
  )
  return { ...one, ...Object.fromEntries(entries) }
}

/** What a path leads to; through a list, the list of what it leads to in each item. */
function reach(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [head, ...rest] = path
  if (head === undefined || value === undefined) return value
  if (isList(value)) return value.flatMap((item) => reach(item, path) ?? [])
  return reach(valueAt(value, [head]), rest)
}

function moved(value: Json, path: readonly string[], name: string): Json {
  const found = reach(value, path)
  if (found === undefined) return value
  const rest = without(value, path)
  return isObject(rest) ? { ...rest, [name]: found } : value
}

/** The value without a path, and without what is empty then. */
function without(value: Json, [head, ...rest]: readonly string[]): Json {
  if (head === undefined) return value
  if (isList(value)) return value.map((item) => without(item, [head, ...rest]))
  if (!isObject(value) || !Object.hasOwn(value, head)) return value
  const { [head]: part = null, ...others } = value
  if (rest.length === 0) return others
  const left = without(part, rest)
  return isEmpty(left) ? others : { ...value, [head]: left }
}

const isEmpty = (value: Json): boolean =>
  isList(value)
    ? value.every(isEmpty)
    : isObject(value) && Object.keys(value satisfies JsonObject).length === 0
