const HOW_MANY = 512

/**
 * Users of this machine that nobody else is, one for each process: what one of them left behind is
 * told from all others.
 */
export class Users {
  readonly #first: number
  readonly #taken = new Set<number>()
  #next = Math.floor(Math.random() * HOW_MANY)

  /** @param first of 512 numbers that no account of this machine has */
  constructor(first: number) {
    this.#first = first
  }

  take(): number {
    do this.#next = (this.#next + 1) % HOW_MANY
    while (this.#taken.has(this.#next) && this.#taken.size < HOW_MANY)
    this.#taken.add(this.#next)
    return this.#first + this.#next
  }

  giveBack(user: number): void {
    this.#taken.delete(user - this.#first)
  }
}
