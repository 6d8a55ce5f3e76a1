import { randomUUID } from 'node:crypto'
import { ok, type Failure, type Result } from '@amodal/sdk'

/** Prefix of the ids of reservations of this process, shared by all kernels in it. */
export const PROCESS = randomUUID().slice(0, 8)

/** Whole tokens and billionths of a dollar. */
export interface Sum {
  readonly tokens: number
  readonly cost: number
}

/** One budget of a principal or tenant in one window of time. */
export interface Account {
  /** A hash of the owner and of the start of the window. */
  readonly key: string
  readonly most: { readonly tokens?: number; readonly cost?: number }
  /** ms since the epoch. */
  readonly ends: number
}

/** `later`: it would fit once other reservations are released. */
export type HoldOutcome = 'held' | 'later' | 'never'

/**
 * Storage of budgets: what was spent and what is reserved. A hold reserves on all of its accounts,
 * or on none.
 */
export interface Accounts {
  hold(id: string, accounts: readonly Account[], amount: Sum): Promise<Result<HoldOutcome, Failure>>
  /**
   * Replaces a reservation by what was spent, even if the reservation has expired meanwhile.
   */
  settle(id: string, accounts: readonly Account[], spent: Sum): Promise<Result<void, Failure>>
  /**
   * Called periodically: renews these reservations, releases those of dead processes and deletes
   * windows that are over.
   */
  maintain(open: readonly string[]): Promise<Result<void, Failure>>
}

interface Balance {
  spent: Sum
  held: Sum
  readonly ends: number
}

const NOTHING: Sum = { tokens: 0, cost: 0 }
const plus = (a: Sum, b: Sum): Sum => ({ tokens: a.tokens + b.tokens, cost: a.cost + b.cost })
const minus = (a: Sum, b: Sum): Sum => ({ tokens: a.tokens - b.tokens, cost: a.cost - b.cost })

export const fits = (sum: Sum, { tokens = Infinity, cost = Infinity }: Account['most']): boolean =>
  sum.tokens <= tokens && sum.cost <= cost

/** Accounts in memory: they are empty after a restart. */
export class MemoryAccounts implements Accounts {
  readonly #balances = new Map<string, Balance>()
  readonly #holds = new Map<string, Sum>()

  hold(id: string, accounts: readonly Account[], amount: Sum): ReturnType<Accounts['hold']> {
    const entries = accounts.map((account) => ({ account, balance: this.#of(account) }))
    if (
      entries.some(({ account: { most }, balance: { spent } }) => !fits(plus(spent, amount), most))
    )
      return Promise.resolve(ok('never'))
    if (
      entries.some(
        ({ account: { most }, balance: { spent, held } }) =>
          !fits(plus(plus(spent, held), amount), most),
      )
    )
      return Promise.resolve(ok('later'))
    for (const { balance } of entries) balance.held = plus(balance.held, amount)
    this.#holds.set(id, amount)
    return Promise.resolve(ok('held'))
  }

  settle(id: string, accounts: readonly Account[], spent: Sum): ReturnType<Accounts['settle']> {
    for (const balance of accounts.map((account) => this.#of(account))) {
      balance.held = minus(balance.held, this.#holds.get(id) ?? NOTHING)
      balance.spent = plus(balance.spent, spent)
    }
    this.#holds.delete(id)
    return Promise.resolve(ok(undefined))
  }

  maintain(): ReturnType<Accounts['maintain']> {
    for (const [key, { ends, held }] of this.#balances)
      if (ends < Date.now() && held.tokens === 0) this.#balances.delete(key)
    return Promise.resolve(ok(undefined))
  }

  #of({ key, ends }: Account): Balance {
    const known = this.#balances.get(key) ?? { spent: NOTHING, held: NOTHING, ends }
    this.#balances.set(key, known)
    return known
  }
}
