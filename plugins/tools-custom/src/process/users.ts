const HOW_MANY = 512

/**
 * Unused user ids of this machine, one for each process, so that what a process leaves behind can
 * be identified.
 */
export class Users {
  readonly #first: number
  readonly #taken = new Set<number>()
  #next = Math.floor(Math.random() * HOW_MANY)

  /** @param first of 512 numbers that no account of this machine has */
  constructor(first: number) {
    this.#first = first
  }

  acquire(): number {
    do this.#next = (this.#next + 1) % HOW_MANY
    while (this.#taken.has(this.#next) && this.#taken.size < HOW_MANY)
    this.#taken.add(this.#next)
    return this.#first + this.#next
  }

  release(user: number): void {
    this.#taken.delete(user - this.#first)
  }
}
