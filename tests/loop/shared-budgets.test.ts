import dbPglite from '@amodal/plugin-db-pglite'
import dbPostgres from '@amodal/plugin-db-postgres'
import limits from '@amodal/plugin-limits'
import secretsEnv from '@amodal/plugin-secrets-env'
import {
  Budgets,
  Database,
  explain,
  Kernel,
  principalId,
  tenantId,
  unwrap,
  use,
  type Amount,
  type Entry,
  type Reservation,
} from '@amodal/sdk'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'

const postgres = await startPostgres()
afterAll(() => postgres.stop())

const LIMIT = 10_000
const who = { tenant: tenantId('acme'), principal: principalId('ann') }
const of = (tokens: number): Amount => ({ tokens, cost: tokens * 1_000 })
const { signal } = new AbortController()

interface Server {
  readonly budgets: Budgets
  readonly kernel: Kernel
}

async function server(entries: readonly Entry[], waitSeconds: number): Promise<Server> {
  const budgets = {
    principal: { tokens: LIMIT },
    tenant: { cost: 1, per: 'month' as const },
    waitSeconds,
  }
  const kernel = unwrap(await Kernel.create([...entries, use(limits, { budgets })]), explain)
  onTestFinished(async () => {
    await kernel.close()
  })
  await expect.poll(() => kernel.scope.get(Database).ready().ready).toBe(true)
  return { budgets: kernel.scope.get(Budgets), kernel }
}

const onPostgres = async (waitSeconds: number): Promise<() => Promise<Server>> => {
  const url = await postgres.createDatabase()
  return () =>
    server([use(secretsEnv, { env: { DATABASE_URL: url } }), use(dbPostgres)], waitSeconds)
}

const tokensOf = (all: readonly (Reservation | undefined)[], each: number): number =>
  all.filter((one) => one).length * each
const reserve = async (
  { budgets }: Server,
  most: number,
  least = most,
): Promise<Reservation | undefined> => {
  const reservation = await budgets.reserve(who, of(most), of(least), signal)
  return reservation.ok ? reservation.value : undefined
}

describe('a budget of a principal', () => {
  test('is held by two servers together, whatever comes at once; what was set aside too much is given back', async () => {
    const start = await onPostgres(15)
    const servers = [await start(), await start()]
    const work = async (one: Server): Promise<number> => {
      const reservation = await reserve(one, 500)
      await reservation?.settle(of(300))
      return reservation ? 300 : 0
    }
    const spent = await Promise.all(
      servers.flatMap((one) => Array.from({ length: 30 }, () => work(one))),
    )
    const sum = spent.reduce((all, each) => all + each, 0)
    expect(sum).toBeLessThanOrEqual(LIMIT)
    expect(sum).toBeGreaterThan(LIMIT - 500)
    const [row] = unwrap(
      (await servers[0]?.kernel.scope.get(Database).run(
        {
          sql: 'select tokens, held_tokens from limits_budget order by tokens desc limit 1',
          parameters: [],
        },
        AbortSignal.timeout(5_000),
      )) ?? { ok: true, value: [] },
      ({ message }) => message,
    )
    expect(row).toMatchObject({ tokens: sum, held_tokens: 0 })
  })

  test('gets back what a server that died had set aside, and not what a living one has', async () => {
    const start = await onPostgres(0.3)
    const [dead, alive] = [await start(), await start()]
    expect(tokensOf([await reserve(dead, 6_000), await reserve(alive, 3_000)], 1)).toBe(2)
    await dead.kernel.close()
    // Two minutes go by, in which nobody says that the first is still needed.
    const database = alive.kernel.scope.get(Database)
    await database.run(
      {
        sql: "update limits_hold set until = clock_timestamp() - interval '1 second' where tokens = 6000",
        parameters: [],
      },
      AbortSignal.timeout(5_000),
    )
    const next = await start()
    await expect.poll(async () => (await reserve(next, 6_000))?.isFull).toBe(true)
    // What is set aside for the living one still is.
    expect((await reserve(next, 2_000, 1_000))?.isFull).toBe(undefined)
  })

  test('is told from others, and in dollars it needs a price', async () => {
    const one = await server([use(dbPglite, { dataDir: 'memory://' })], 0.3)
    await (await reserve(one, LIMIT - 100))?.settle(of(LIMIT - 100))
    expect(await reserve(one, 200)).toBeUndefined()
    expect((await reserve(one, 200, 80))?.isFull).toBe(false)
    expect(
      (
        await one.budgets.reserve(
          { ...who, principal: principalId('bob') },
          of(200),
          of(200),
          signal,
        )
      ).ok,
    ).toBe(true)
    const blind = await one.budgets.reserve(
      who,
      { tokens: 1, cost: undefined },
      { tokens: 1, cost: undefined },
      signal,
    )
    expect(blind).toMatchObject({
      ok: false,
      error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('prices.json') as string },
    })
  })
})
