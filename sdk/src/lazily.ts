/**
 * A value that is created once, on first use, so that what only some agents need does not slow the
 * start.
 *
 * @example
 * const words = lazily(() => new Set('to into at'.split(' ')))
 * words().has('at') // true
 */
export function lazily<T>(make: () => T): () => T {
  let cell: { readonly value: T } | undefined
  return () => (cell ??= { value: make() }).value
}
