/** Whether a value is plain data. Any other object is compared and copied by identity. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export function deepFreeze<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(deepFreeze)
  else if (isPlain(value)) Object.values(value).forEach(deepFreeze)
  else return value
  return Object.freeze(value)
}

export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]))
  if (!isPlain(a) || !isPlain(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  )
}

/**
 * Merges one level deep: keys are joined, and objects under the same key too; all other values,
 * arrays included, replace the earlier one.
 */
export function mergeConfig(earlier: unknown, later: unknown, depth = 2): unknown {
  if (later === undefined) return earlier
  if (depth === 0 || !isPlain(earlier) || !isPlain(later)) return later
  const merged = Object.entries(later).map(([key, value]) => [
    key,
    mergeConfig(earlier[key], value, depth - 1),
  ])
  return { ...earlier, ...Object.fromEntries(merged) }
}
