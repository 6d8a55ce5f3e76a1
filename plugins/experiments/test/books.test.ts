import dbPglite from '@amodal/plugin-db-pglite'
import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import {
  BundleSource,
  Database,
  defineBundle,
  definePlugin,
  explain,
  ok,
  principalId,
  sessionId,
  startAgent,
  tenantId,
  unwrap,
  use,
  type Database as DatabaseType,
} from '@amodal/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { experiments } from '../src/index.ts'
import { databaseBooks } from '../src/storage/database-book.ts'
import { Decisions } from '../src/storage/decisions.ts'
import { eraser } from '../src/storage/eraser.ts'
import { MemoryBooks } from '../src/storage/memory-book.ts'
import type { ExperimentBook, Observation } from '../src/storage/observation.ts'

const TENANT = tenantId('acme')
const OTHER = tenantId('beta')
const limit = AbortSignal.timeout(120_000)
const messageOf = ({ message }: { readonly message: string }): string => message

async function database(): Promise<DatabaseType> {
  const files = definePlugin({
    name: 'files',
    version: '1.0.0',
    provides: [BundleSource],
    setup({ provide }) {
      const bundle = defineBundle({ name: 'desk' })
      provide(BundleSource, () => ({ where: 'code', load: async () => ok(bundle) }))
    },
  })
  const started = unwrap(
    await startAgent([
      use(secretsEnv, { env: {}, masterKey: 'memory' }),
      use(outbound),
      use(loop),
      use(dbPglite, { dataDir: 'memory://' }),
      use(sessions),
      use(files),
      use(experiments),
    ]),
    (error) => ('failure' in error ? JSON.stringify(error.failure) : explain(error)),
  )
  onTestFinished(() => started.close())
  return started.kernel.scope.get(Database)
}

type Books = (tenant: typeof TENANT) => ExperimentBook
const STORAGES: readonly (readonly [string, () => Promise<Books>])[] = [
  [
    'memory',
    async () => {
      const books = new MemoryBooks()
      return (tenant) => books.of(tenant)
    },
  ],
  ['pglite', async () => databaseBooks(await database())],
]

let count = 0
const run = (variant: string, principal: string, more: Partial<Observation> = {}): Observation => ({
  experiment: 'tone',
  version: '1',
  variant,
  principal,
  session: `s-${principal}`,
  run: `r-${++count}`,
  at: 1,
  failed: false,
  cost: 0.5,
  seconds: 2,
  ...more,
})

describe.each(STORAGES)('observations in %s', (_name, open) => {
  test('are means of principals, of one version and one tenant', async () => {
    const bookOf = await open()
    const book = bookOf(TENANT)
    const rated = run('brief', 'ann', { cost: 1 })
    for (const one of [
      rated,
      rated,
      run('brief', 'ann', { cost: 3, failed: true }),
      run('brief', 'ben', { cost: null, seconds: null }),
      run('brief', 'ben', { cost: 4, seconds: 4 }),
      run('base', 'cat'),
      // Somebody who had two variants says nothing of either.
      run('base', 'dan'),
      run('brief', 'dan'),
      run('base', 'eve', { version: '0' }),
      run('base', 'eve', { experiment: 'other' }),
    ])
      unwrap(await book.add(one, limit), messageOf)
    unwrap(await bookOf(OTHER).add(run('base', 'fay'), limit), messageOf)
    const answer = { session: rated.session, run: rated.run }
    unwrap(await book.rate({ ...answer, rating: 1 }, limit), messageOf)
    unwrap(await book.rate({ session: 's', run: 'unknown', rating: 0 }, limit), messageOf)
    const figures = unwrap(await book.figures({ name: 'tone', version: '1' }, limit), messageOf)
    const byName = figures.toSorted((a, b) => (a.variant < b.variant ? -1 : 1))
    expect(byName).toMatchObject([
      { variant: 'base', principals: 1, runs: 1, metrics: { feedback: { count: 0 } } },
      {
        variant: 'brief',
        principals: 2,
        runs: 4,
        metrics: {
          feedback: { count: 1, mean: 1 },
          errors: { count: 2, mean: 0.25, variance: 0.125 },
          cost: { count: 2, mean: 3, variance: 2 },
          latency: { count: 2, mean: 3, variance: 2 },
        },
      },
    ])
    unwrap(await book.rate({ ...answer, rating: null }, limit), messageOf)
    const later = unwrap(await book.figures({ name: 'tone', version: '1' }, limit), messageOf)
    expect(later.map(({ metrics }) => metrics.feedback.count)).toEqual([0, 0])
  })

  test('end with one decision, the first', async () => {
    const bookOf = await open()
    const decisions = new Decisions(bookOf)
    const first = { experiment: 'tone', promoted: 'brief', principal: 'ann', at: 1 }
    expect(unwrap(await decisions.of(TENANT, limit), messageOf).size).toBe(0)
    expect(unwrap(await decisions.add(TENANT, first, limit), messageOf)).toBe(true)
    const second = { experiment: 'tone', principal: 'ben', at: 2 }
    expect(unwrap(await decisions.add(TENANT, second, limit), messageOf)).toBe(false)
    expect(unwrap(await decisions.of(TENANT, limit), messageOf).get('tone')).toEqual(first)
    expect(unwrap(await decisions.of(OTHER, limit), messageOf).size).toBe(0)
  })
})

test('runs go with their person, and decisions stay without a name', async () => {
  const own = await database()
  const book = databaseBooks(own)(TENANT)
  for (const principal of ['ann', 'ben', 'eve'])
    unwrap(await book.add(run('base', principal), limit), messageOf)
  const decision = { experiment: 'tone', principal: 'ann', at: 1 }
  unwrap(await book.decide(decision, limit), messageOf)
  const erased = await own.transaction(
    async (work) =>
      unwrap(
        await eraser.erase(
          {
            principal: principalId('ann'),
            tenant: TENANT,
            sessions: [{ tenant: TENANT, session: sessionId('s-ben'), runs: [] }],
          },
          work,
        ),
        messageOf,
      ),
    limit,
  )
  expect(unwrap(erased, messageOf)).toMatchObject({ removed: 3, unknown: 0 })
  const figures = unwrap(await book.figures({ name: 'tone', version: '1' }, limit), messageOf)
  expect(figures).toMatchObject([{ principals: 1 }])
  expect(unwrap(await book.decisions(limit), messageOf)).toEqual([{ ...decision, principal: '' }])
})
