/**
 * The value that was computed from an object under a key: the same value for an equal key, as long
 * as the object is referenced.
 *
 * @example
 * const sorted = new WeakMap<readonly number[], Map<string, readonly number[]>>()
 * memoized(sorted, [3, 1, 2], 'up', () => [1, 2, 3])
 */
export function memoized<K extends object, V>(
  all: WeakMap<K, Map<string, V>>,
  owner: K,
  key: string,
  make: () => V,
): V {
  const known = all.get(owner) ?? new Map<string, V>()
  all.set(owner, known)
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
