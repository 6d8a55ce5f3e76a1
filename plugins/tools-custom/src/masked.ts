import type { Json } from '@amodal/sdk'
import { isList, isObject } from '@amodal/sdk/files'

/** The value without secrets in its texts, at any depth; the value itself where there are none. */
export function masked<T extends Json>(value: T, mask: (text: string) => string): T {
  const text = JSON.stringify(value)
  return mask(text) === text ? value : clean(value, mask) as T // the same shape, other texts
}

function clean(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value)
  if (isList(value)) return value.map((item) => clean(item, mask))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), clean(item, mask)]))
}
