import { err, isList, type Json, ok, type Result, isObject } from '@amodal/sdk'
import { isExact } from '@amodal/sdk/data'

export type Query = Readonly<Record<string, readonly string[]>>

/**
 * One query of what stands behind the `?` of an endpoint and of `params`, names and values decoded.
 * A list becomes a name that comes several times, an object names with brackets (`filter[status]`);
 * `null` is left out.
 *
 * @example
 * canonicalQuery('stage=won', { limit: 50, ids: [1, 2] })
 * // → { stage: ['won'], limit: ['50'], ids: ['1', '2'] }
 */
export function canonicalQuery(text: string, params: Json | undefined): Result<Query, string> {
  const query = new Map<string, string[]>()
  const add = (name: string, value: string): void => {
    query.set(name, [...(query.get(name) ?? []), value])
  }
  if (/%(?![0-9a-f]{2})/i.test(text))
    return err('the query is not percent-encoded: write % as %25, or use `params`')
  for (const [name, value] of new URLSearchParams(text)) add(name, value)
  const flat = flatten('', params ?? null, add)
  if (flat !== undefined) return err(flat)
  for (const [name, values] of query) {
    if (HIDDEN.test(name))
      return err('the name of a parameter holds control or invisible characters')
    if (values.some((value) => value.includes('\0')))
      return err(`the parameter "${name}" holds a NUL`)
    if (!values.every((value) => value.isWellFormed()))
      return err(`the parameter "${name}" holds half a character`)
  }
  return ok(Object.fromEntries(query))
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}]/u

function flatten(
  name: string,
  value: Json,
  add: (name: string, value: string) => void,
): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'object' || isExact(value)) {
    if (name === '') return '`params` is an object: { "name": "value" }'
    add(name, String(value))
    return undefined
  }
  if (isList(value)) {
    if (name === '') return '`params` is an object: { "name": "value" }'
    if (value.some((item) => isObject(item) || isList(item)))
      return `\`params.${name}\` is a list of texts or numbers, or is written as JSON text`
    for (const item of value) flatten(name, item, add)
    return undefined
  }
  for (const [key, inner] of Object.entries(value)) {
    const problem = flatten(name === '' ? key : `${name}[${key}]`, inner, add)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** As it is sent. */
export function queryText(query: Query): string {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value])),
  ).toString()
}
