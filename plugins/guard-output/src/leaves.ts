import { isList, type Json } from '@amodal/sdk'
import { type ExactNumber, isExact } from '@amodal/sdk/data'

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
  let isChanged = false
  const fields = Object.entries(value).map(([key, inner]: [string, Json]) => {
    const other = mapLeaves(inner, change, key)
    const named = change(key, '')
    isChanged ||= other !== inner || named !== key
    return [String(named), other] as const
  })
  return isChanged ? Object.fromEntries(fields) : value
}

/** As its digits, and itself again where they stay. */
function changedDigits(value: ExactNumber, change: Change, name: string): Json {
  const other = change(value.digits, name)
  return other === value.digits ? value : other
}
