import { Agent, Budgets, Database, definePlugin, Migrations, RequestLimiter } from '@amodal/sdk'
import { z } from 'zod'
import { MemoryAccounts } from './accounts.ts'
import { DatabaseAccounts } from './database-accounts.ts'
import { Limiter, type Rates } from './limiter.ts'
import { MIGRATIONS } from './migrations.ts'
import { BudgetSettings, SharedBudgets } from './shared-budgets.ts'
import { forgetWindows } from './shared-windows.ts'

const count = z.int().min(1).nullable()
const rate = (perMinute: number, perHour: number) =>
  z
    .strictObject({ perMinute: count.default(perMinute), perHour: count.default(perHour) })
    .prefault({})

/** ms after which windows that are over are deleted. */
const FORGET_MS = 600_000

/**
 * ms between renewals of reservations: a quarter of their lifetime.
 */
const MAINTAIN_MS = 30_000
/** The same after a failed renewal, such as at the start. */
const MAINTAIN_RETRY_MS = 2_000

/**
 * Limits requests, messages and concurrent runs of a principal. `null` lifts a limit.
 *
 * @example
 * use(limits, { messages: { perMinute: 20 }, runs: { concurrent: 3 } })
 */
export const limits = definePlugin({
  name: 'limits',
  version: '0.1.0',
  optional: { database: Database },
  provides: [RequestLimiter, Budgets],
  config: z.strictObject({
    /** Of one principal; each instance counts for itself. */
    requests: rate(600, 20_000),
    /** Of one principal in one tenant; all instances count together. */
    messages: rate(60, 1_000),
    /** Without a valid credential, from one address; more get `RATE_LIMITED`. */
    refusals: z.strictObject({ perMinute: count.default(60) }).prefault({}),
    runs: z
      .strictObject({
        /** Of one principal in one tenant at the same time; each instance counts for itself. */
        concurrent: count.default(10),
      })
      .prefault({}),
    /** What model calls may use in a day or a month; all instances count together. */
    budgets: BudgetSettings.prefault({}),
  }),
  setup({ config, deps, provide, add, hooks, generation, onBoot, log }) {
    // An exclusive database has no other instances to share counts with.
    const database = deps.database?.exclusive === false ? deps.database : undefined
    const hasBudgets = config.budgets.principal !== undefined || config.budgets.tenant !== undefined
    if (database ?? (hasBudgets && deps.database)) add(Migrations, 'limits', MIGRATIONS)

    let rates: Promise<Rates> | undefined
    /** Created on first use: for local callers it never is. */
    const made = async (): Promise<Rates> => {
      const { Rate } = await import('./rate.ts')
      return {
        requests: new Rate('requests', config.requests, undefined),
        messages: new Rate('messages', config.messages, database),
        refusals: new Rate('refusals', config.refusals, undefined),
      }
    }
    const limiter = new Limiter({
      rates: () => (rates ??= made()),
      concurrentRuns: config.runs.concurrent,
      agent: () => generation().scope.find(Agent),
    })
    provide(RequestLimiter, () => limiter)
    const accounts =
      hasBudgets && deps.database ? new DatabaseAccounts(deps.database) : new MemoryAccounts()
    const budgets = new SharedBudgets(config.budgets, accounts, ({ code, message }) =>
      log.warn('limits.budget_failed', { code, message }),
    )
    provide(Budgets, () => budgets)
    hooks.run.start.tap((_request, run) => {
      limiter.runStarted(run)
      return undefined
    })
    onBoot(() => {
      const timer =
        database &&
        setInterval(() => {
          void forgetWindows(database, Date.now()).then((done) => {
            if (!done.ok)
              log.warn('limits.forget_failed', {
                code: done.error.code,
                message: done.error.message,
              })
          })
        }, FORGET_MS)
      timer?.unref()
      let maintenance: ReturnType<typeof setTimeout> | undefined
      const maintain = (): void =>
        void budgets.maintain().then((done) => {
          if (!done.ok)
            log.debug('limits.tend_failed', { code: done.error.code, message: done.error.message })
          if (maintenance === undefined) return
          maintenance = setTimeout(maintain, done.ok ? MAINTAIN_MS : MAINTAIN_RETRY_MS)
          maintenance.unref()
        })
      if (hasBudgets) {
        maintenance = setTimeout(maintain, 0)
        maintenance.unref()
      }
      return async () => {
        clearInterval(timer)
        clearTimeout(maintenance)
        maintenance = undefined
        for (const one of Object.values((await rates) ?? {})) await one.close()
      }
    })
  },
})

export default limits
