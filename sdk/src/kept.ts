/**
 * What was made of a whole under a key: the same object again for equal input, for as long as the
 * whole lives.
 *
 * @example
 * const sorted = new WeakMap<readonly number[], Map<string, readonly number[]>>()
 * kept(sorted, [3, 1, 2], 'up', () => [1, 2, 3])
 */
export function kept<K extends object, V>(
  all: WeakMap<K, Map<string, V>>,
  whole: K,
  key: string,
  make: () => V,
): V {
  const known = all.get(whole) ?? new Map<string, V>()
  all.set(whole, known)
  const made = known.get(key) ?? make()
  known.set(key, made)
  return made
}
