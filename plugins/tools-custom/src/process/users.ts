/** Users of one isolation. */
export const USERS = 512

/**
 * Unused user ids of this machine, one for each process, so that what a process leaves behind can
 * be identified.
 */
export class Users {
  readonly #first: number
  readonly #taken = new Set<number>()
  readonly #accounts = new Map<string, { readonly user: number; programs: number }>()
  #next = Math.floor(Math.random() * USERS)

  /** @param first of 512 numbers that no account of this machine has */
  constructor(first: number) {
    this.#first = first
  }

  /**
   * The user of one program.
   *
   * @param account programs of one account that run at the same time are the same user
   */
  acquire(account?: string): number {
    const shared = account === undefined ? undefined : this.#accounts.get(account)
    if (shared) {
      shared.programs++
      return shared.user
    }
    const user = this.#acquire()
    if (account !== undefined) this.#accounts.set(account, { user, programs: 1 })
    return user
  }

  /** Whether the program that ended was the last of its account. */
  isLast(account: string | undefined): boolean {
    const shared = account === undefined ? undefined : this.#accounts.get(account)
    if (account === undefined || !shared) return true
    shared.programs--
    if (shared.programs > 0) return false
    this.#accounts.delete(account)
    return true
  }

  #acquire(): number {
    do this.#next = (this.#next + 1) % USERS
    while (this.#taken.has(this.#next) && this.#taken.size < USERS)
    this.#taken.add(this.#next)
    return this.#first + this.#next
  }

  release(user: number): void {
    this.#taken.delete(user - this.#first)
  }
}
