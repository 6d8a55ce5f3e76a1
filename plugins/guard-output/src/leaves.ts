import { isList, type Json } from '@amodal/sdk'
import { type ExactNumber, isExact, isNumber } from '@amodal/sdk/data'

export type Change = (leaf: string | number, name: string) => string | number

/**
 * A value with each of its texts and numbers changed; `name` is that of the field it stands in. The
 * same object where nothing changes.
 */
export function mapLeaves(value: Json, change: Change, name = ''): Json {
  if (typeof value === 'string' || typeof value === 'number') return change(value, name)
  if (isExact(value)) return changedDigits(value, change, name)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) {
    const list = value.map((inner) => mapLeaves(inner, change, name))
    return list.some((inner, at) => inner !== value[at]) ? list : value
  }
  let changed = false
  const fields = Object.entries(value).map(([key, inner]: [string, Json]) => {
    const other = mapLeaves(inner, change, key)
    const named = change(key, '')
    changed ||= other !== inner || named !== key
    return [String(named), other] as const
  })
  return changed ? Object.fromEntries(fields) : value
}

/** As its digits, and itself again where they stay. */
function changedDigits(value: ExactNumber, change: Change, name: string): Json {
  const other = change(value.digits, name)
  return other === value.digits ? value : other
}

/** Stands between texts that have nothing to do with each other. */
const BETWEEN = '\n|\n'

/**
 * Of the name of a field: what may say something of a value beside it. Names are looked at as a
 * whole where they stand.
 */
export const contextOf = (name: string): string => name.slice(-160)

/**
 * Joins all texts of a value into one, each after the name of its field, and the items of a list
 * once more in sequence. If a scan of it finds nothing, no text of the value has a match.
 */
export function joined(value: Json, name = ''): string {
  if (typeof value === 'string' || isNumber(value))
    return `${contextOf(name)}: ${String(value)}${BETWEEN}`
  if (typeof value !== 'object' || value === null) return ''
  if (isList(value)) {
    const parts = value.map((inner) => joined(inner, name)).join('')
    return value.length > 1 && value.every((inner) => typeof inner !== 'object' || isExact(inner))
      ? `${parts}${value.join(' ')}${BETWEEN}`
      : parts
  }
  return Object.entries(value)
    .map(([key, inner]: [string, Json]) => `${key}${BETWEEN}${joined(inner, key)}`)
    .join('')
}
