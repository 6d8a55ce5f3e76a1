/** An LRU cache: beyond its size, the least recently used value is evicted. */
export class RecentlyUsed<V> {
  readonly #size: number
  readonly #values = new Map<string, V>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: string, make: () => V): V {
    const known = this.#values.get(key)
    const value = known ?? make()
    this.#values.delete(key) // a map keeps the order of insertion: the newest stands last
    this.#values.set(key, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#size && oldest !== undefined) this.#values.delete(oldest)
    return value
  }
}
