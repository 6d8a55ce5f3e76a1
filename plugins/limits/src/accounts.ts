import { randomUUID } from 'node:crypto'
import { ok, type Failure, type Result } from '@amodal/sdk'

/** What is set aside by this process begins with it, whichever kernel in it that is. */
export const PROCESS = randomUUID().slice(0, 8)

/** Whole tokens and billionths of a dollar. */
export interface Sum {
  readonly tokens: number
  readonly cost: number
}

/** One budget of somebody in one window of time. */
export interface Account {
  /** A hash of whose it is, and of when it began. */
  readonly key: string
  readonly most: { readonly tokens?: number; readonly cost?: number }
  /** ms since the epoch. */
  readonly ends: number
}

/** `later`: it would fit once others give back what they do not need. */
export type Taken = 'held' | 'later' | 'never'

/**
 * Where budgets are kept: what was taken, and what is set aside. All accounts of a hold, or none of
 * them.
 */
export interface Accounts {
  hold(id: string, accounts: readonly Account[], amount: Sum): Promise<Result<Taken, Failure>>
  /**
   * Writes down what was taken in place of what was set aside, also where that was given back
   * meanwhile.
   */
  settle(id: string, accounts: readonly Account[], spent: Sum): Promise<Result<void, Failure>>
  /**
   * Called every so often: prolongs these, gives back those of processes that are gone, forgets
   * windows that are over.
   */
  tend(open: readonly string[]): Promise<Result<void, Failure>>
}

interface Kept {
  taken: Sum
  held: Sum
  readonly ends: number
}

const NOTHING: Sum = { tokens: 0, cost: 0 }
const plus = (a: Sum, b: Sum): Sum => ({ tokens: a.tokens + b.tokens, cost: a.cost + b.cost })
const minus = (a: Sum, b: Sum): Sum => ({ tokens: a.tokens - b.tokens, cost: a.cost - b.cost })

export const fits = (sum: Sum, { tokens = Infinity, cost = Infinity }: Account['most']): boolean =>
  sum.tokens <= tokens && sum.cost <= cost

/** Accounts of one process: they begin anew with it. */
export class MemoryAccounts implements Accounts {
  readonly #kept = new Map<string, Kept>()
  readonly #holds = new Map<string, Sum>()

  hold(id: string, accounts: readonly Account[], amount: Sum): ReturnType<Accounts['hold']> {
    const kept = accounts.map((account) => ({ account, kept: this.#of(account) }))
    if (kept.some(({ account: { most }, kept: { taken } }) => !fits(plus(taken, amount), most)))
      return Promise.resolve(ok('never'))
    if (
      kept.some(
        ({ account: { most }, kept: { taken, held } }) =>
          !fits(plus(plus(taken, held), amount), most),
      )
    )
      return Promise.resolve(ok('later'))
    for (const one of kept) one.kept.held = plus(one.kept.held, amount)
    this.#holds.set(id, amount)
    return Promise.resolve(ok('held'))
  }

  settle(id: string, accounts: readonly Account[], spent: Sum): ReturnType<Accounts['settle']> {
    for (const kept of accounts.map((account) => this.#of(account))) {
      kept.held = minus(kept.held, this.#holds.get(id) ?? NOTHING)
      kept.taken = plus(kept.taken, spent)
    }
    this.#holds.delete(id)
    return Promise.resolve(ok(undefined))
  }

  tend(): ReturnType<Accounts['tend']> {
    for (const [key, { ends, held }] of this.#kept)
      if (ends < Date.now() && held.tokens === 0) this.#kept.delete(key)
    return Promise.resolve(ok(undefined))
  }

  #of({ key, ends }: Account): Kept {
    const known = this.#kept.get(key) ?? { taken: NOTHING, held: NOTHING, ends }
    this.#kept.set(key, known)
    return known
  }
}
