/** A name that is taken, and what has taken it. */
export interface TakenName {
  readonly name: string
  /** A file, or in words what gives the name, such as `the plugin stores`. */
  readonly by: string
}

/**
 * The names that parts of an agent make, such as those of tools: each once, whatever the case of
 * its letters, since models and people confuse the others.
 *
 * @example
 * const names = new TakenNames()
 * names.take(['store_orders', 'store_orders_batch'], 'stores/orders.json') // undefined
 * names.take(['store_orders_batch'], 'stores/other.json') // { name, by: 'stores/orders.json' }
 */
export class TakenNames {
  readonly #owners = new Map<string, string>()

  /**
   * Takes all of these names for one part, or none of them.
   *
   * @returns the first that another part has
   */
  take(names: readonly string[], by: string): TakenName | undefined {
    for (const name of names) {
      const owner = this.#owners.get(name.toLowerCase())
      if (owner !== undefined) return { name, by: owner }
    }
    for (const name of names) this.#owners.set(name.toLowerCase(), by)
    return undefined
  }
}

/** The message about a part whose name is taken; the issue names the file of the part. */
export const takenMessage = (part: string, { name, by }: TakenName): string =>
  `${part} makes the name "${name}", which is taken by ${by}; this one is left out`
export const TAKEN_FIX = 'give one of them another name'
