import { createHash, randomUUID } from 'node:crypto'
import {
  type Amount,
  type Budgets,
  err,
  failure,
  type Failure,
  NANO,
  ok,
  type PrincipalId,
  type Reservation,
  type Result,
  atMost,
  sleep,
  within,
  type TenantId,
} from '@amodal/sdk'
import { z } from 'zod'
import { type Account, type Accounts, PROCESS, type Sum } from './accounts.ts'

const budget = z.strictObject({
  tokens: z.int().min(1).exactOptional(),
  /** Dollars. */
  cost: z.number().positive().exactOptional(),
  per: z.enum(['day', 'month']).default('day'),
})
type Budget = z.output<typeof budget>

/**
 * Budgets for model calls of one principal in one tenant, and of a whole tenant. Days and months
 * are those of UTC.
 */
export const BudgetSettings = z.strictObject({
  principal: budget.exactOptional(),
  tenant: budget.exactOptional(),
  /** How long a call waits for other calls to release their reservations. */
  waitSeconds: z.number().min(0).max(50).default(30),
})
export type BudgetSettings = z.output<typeof BudgetSettings>

/** ms between two attempts to reserve. */
const LOOK_MS = 100
const TRIES = 3

type Who = Parameters<Budgets['reserve']>[0]

/** Budgets of principals and tenants: the maximum of a call is reserved before it is made. */
export class SharedBudgets implements Budgets {
  readonly active: boolean
  readonly #settings: BudgetSettings
  readonly #accounts: Accounts
  readonly #warn: (problem: Failure) => void
  readonly #open = new Set<string>()
  #waiting: (() => void)[] = []

  constructor(settings: BudgetSettings, accounts: Accounts, warn: (problem: Failure) => void) {
    this.#settings = settings
    this.#accounts = accounts
    this.#warn = warn
    this.active = settings.principal !== undefined || settings.tenant !== undefined
  }

  async reserve(
    who: Who,
    most: Amount,
    least: Amount,
    signal: AbortSignal,
  ): ReturnType<Budgets['reserve']> {
    const accounts = accountsOf(this.#settings, who, Date.now())
    const blind = accounts.find((account) => account.most.cost !== undefined)
    if (most.cost === undefined && blind)
      return err(
        failure(
          'BUDGET_EXCEEDED',
          `nobody knows the price of this model, so that none of it is used under a budget of dollars: write it into prices.json, 0 where it costs nothing`,
        ),
      )
    const id = `${PROCESS}:${randomUUID()}`
    let amount = sumOf(most)
    for (const until = Date.now() + this.#settings.waitSeconds * 1_000; !signal.aborted;) {
      const taken = await this.#accounts.hold(id, accounts, amount)
      if (!taken.ok) return taken
      if (taken.value === 'held')
        return ok(this.#reservation(id, accounts, amount.tokens === most.tokens))
      const isLeast = amount.tokens === least.tokens
      if (taken.value === 'never' && isLeast) return err(exceeded(this.#settings, 'is used up'))
      if (taken.value === 'never') amount = sumOf(least)
      else if (Date.now() >= until)
        return err(exceeded(this.#settings, 'is set aside for other runs'))
      else await this.#news(signal)
    }
    return err(failure('CANCELLED', 'the run was stopped'))
  }

  /** Renews the reservations of this process, and releases those of dead processes. */
  maintain(): Promise<Result<void, Failure>> {
    return this.#accounts.maintain([...this.#open])
  }

  #reservation(id: string, accounts: readonly Account[], whole: boolean): Reservation {
    this.#open.add(id)
    return {
      isFull: whole,
      settle: async (spent) => {
        if (!this.#open.delete(id)) return
        for (let tries = 1; ; tries++) {
          const settled = await this.#accounts.settle(id, accounts, sumOf(spent))
          if (settled.ok) break
          if (tries === TRIES) {
            this.#warn(settled.error)
            break
          }
          await sleep(LOOK_MS * tries)
        }
        for (const wake of this.#waiting.splice(0)) wake()
      },
    }
  }

  /** Waits until a reservation is released here, or until the next poll for other processes. */
  async #news(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await within(atMost(LOOK_MS, promise), signal).catch(() => undefined)
    this.#waiting = this.#waiting.filter((one) => one !== resolve)
  }
}

const sumOf = ({ tokens, cost = 0 }: Amount): Sum => ({
  tokens: Math.ceil(tokens),
  cost: Math.ceil(cost),
})

function exceeded({ principal, tenant }: BudgetSettings, how: string): Failure {
  const text = Object.entries({ principal, tenant })
    .flatMap(([whose, one]) =>
      one
        ? [
            `${[...(one.tokens === undefined ? [] : [`${one.tokens} tokens`]), ...(one.cost === undefined ? [] : [`$${one.cost}`])].join(' and ')} a ${one.per} for a ${whose}`,
          ]
        : [],
    )
    .join(', ')
  return failure(
    'BUDGET_EXCEEDED',
    `the budget that runs share (${text}) ${how}: try again later, or raise \`budgets\` of the plugin limits`,
  )
}

function accountsOf(
  { principal, tenant }: BudgetSettings,
  who: { readonly tenant: TenantId; readonly principal: PrincipalId },
  now: number,
): readonly Account[] {
  return [
    ...(principal ? [accountOf(principal, ['principal', who.tenant, who.principal], now)] : []),
    ...(tenant ? [accountOf(tenant, ['tenant', who.tenant], now)] : []),
  ].sort((a, b) => (a.key < b.key ? -1 : 1))
}

function accountOf({ tokens, cost, per }: Budget, whose: readonly string[], now: number): Account {
  const { begins, ends } = windowAt(per, now)
  const most = {
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost: Math.round(cost * NANO) }),
  }
  return {
    key: createHash('sha256')
      .update(JSON.stringify([...whose, per, begins]))
      .digest('base64url'),
    most,
    ends,
  }
}

function windowAt(
  per: Budget['per'],
  now: number,
): { readonly begins: number; readonly ends: number } {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return per === 'day'
    ? { begins: Date.UTC(year, month, day), ends: Date.UTC(year, month, day + 1) }
    : { begins: Date.UTC(year, month), ends: Date.UTC(year, month + 1) }
}
