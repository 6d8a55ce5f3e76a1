import type { Shape } from './values.ts'

/** A statement that the server keeps under a name. */
export interface Prepared {
  readonly name: string
  /**
   * The columns of its rows, once the server has reported them; `undefined` without rows.
   */
  shape: Shape | undefined
  known: boolean
}

export interface Use {
  readonly statement: Prepared
  /** It must be parsed and described in this round trip. */
  readonly fresh: boolean
  /** Names to close before. Closing one that does not exist is no error. */
  readonly close: readonly string[]
}

/**
 * The statements prepared on one connection; the least recently used one is evicted. Repeating a
 * text needs neither parsing on the server nor a row description on the wire.
 */
export class PreparedStatements {
  readonly #limit: number
  readonly #bySql = new Map<string, Prepared>()
  #count = 0

  /** @param limit how many are kept; 0 prepares anew each time, under no name */
  constructor(limit = 200) {
    this.#limit = limit
  }

  use(sql: string): Use {
    if (this.#limit === 0)
      return { statement: { name: '', shape: undefined, known: false }, fresh: true, close: [] }
    const there = this.#bySql.get(sql)
    if (there?.known) {
      this.#bySql.delete(sql)
      this.#bySql.set(sql, there)
      return { statement: there, fresh: false, close: [] }
    }
    if (there) return { statement: there, fresh: true, close: [there.name] }
    const statement: Prepared = { name: `a${++this.#count}`, shape: undefined, known: false }
    this.#bySql.set(sql, statement)
    return { statement, fresh: true, close: this.#evict() }
  }

  /** The server knows none of them any more, or holds one to an old shape. */
  forget(): void {
    for (const statement of this.#bySql.values()) statement.known = false
  }

  #evict(): readonly string[] {
    if (this.#bySql.size <= this.#limit) return []
    for (const [sql, { name }] of this.#bySql) {
      this.#bySql.delete(sql)
      return [name]
    }
    return []
  }
}
