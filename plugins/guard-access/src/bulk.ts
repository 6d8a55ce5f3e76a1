import { isList, isObject, type Json } from '@amodal/sdk'
import type { Body } from './body.ts'

/** A write of many things at once. */
export interface Bulk {
  readonly count: number
  readonly items: readonly Json[]
}

/** A list of more items is itemised, and reviewed. */
const FEW = 5
/** The body itself, what it holds, and what that holds; further down is content. */
const DEPTH = 2

/** The longest list that a body holds, where it has more than five items. */
export function bulkOf(body: Body): Bulk | undefined {
  const longest = listsOf(body).reduce<readonly Json[]>(
    (most, list) => (list.length > most.length ? list : most),
    [],
  )
  return longest.length > FEW ? { count: longest.length, items: longest } : undefined
}

function listsOf(body: Body): readonly (readonly Json[])[] {
  if (body.kind === 'json') return listsIn(body.value, DEPTH)
  return body.kind === 'form' ? repeated(body.fields) : []
}

function listsIn(value: Json, depth: number): readonly (readonly Json[])[] {
  if (!isList(value) && !isObject(value)) return []
  const inside = isList(value) ? value : Object.values(value)
  return [
    ...(isList(value) ? [value] : []),
    ...(depth === 0 ? [] : inside.flatMap((one) => listsIn(one, depth - 1))),
  ]
}

/** Names of a form that come several times, whichever number stands in their brackets. */
function repeated(
  fields: Readonly<Record<string, readonly string[]>>,
): readonly (readonly string[])[] {
  const lists = new Map<string, string[]>()
  for (const [name, values] of Object.entries(fields)) {
    const list = name.replace(/\[\d*\]/g, '[]')
    lists.set(list, [...(lists.get(list) ?? []), ...values])
  }
  return [...lists.values()]
}
