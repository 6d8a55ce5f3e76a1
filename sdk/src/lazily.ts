/**
 * A value that is made when it is first asked for, once: what only some agents need costs no start.
 *
 * @example
 * const words = lazily(() => new Set('to into at'.split(' ')))
 * words().has('at') // true
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
