/** A type whose fields that may be undefined are left out instead. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/**
 * The fields of an object that have a value: what is undefined is left out, as the journal and the
 * wire want it.
 *
 * @example
 * defined({ name: 'orders', title: undefined }) // { name: 'orders' }
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as Defined<T> // by the line above
}
