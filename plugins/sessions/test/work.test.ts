/**
 * The search for work: a session with work is marked after any operations in any order, and the
 * search finds it.
 */
import dbPglite from '@amodal/plugin-db-pglite'
import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import {
  Database,
  explain,
  instanceId,
  principalId,
  Kernel,
  SessionStore,
  unwrap,
  use,
  type Entry,
  type SessionRecord,
  type SessionRef,
  type Takeover,
} from '@amodal/sdk'
import { sweepSessions } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { isWhole, newRandom, type Random } from '../../../tests/support/random.ts'
import { eraser } from '../src/eraser.ts'
import { sessions } from '../src/index.ts'
import { another, claimed, commit, message, newSession, signal, value } from './support.ts'

const HAS_WORK = '(owner is not null or controls > 0 or (messages > 0 and not parked))'
const OWNERS = [instanceId('one'), instanceId('two')] as const
const SET_ASIDE = { code: 'RUN_SET_ASIDE', message: 'it broke', crashes: 3, at: 0 } as const
const CREATE = { principal: 'ann', title: '', meta: '{}' }

const everything = (more: Partial<Takeover> = {}): Takeover => ({
  marginMs: -1,
  leaseMs: 60_000,
  limit: 10_000,
  maxSuspects: 10_000,
  trial: true,
  ...more,
})

interface Subject {
  readonly kernel: Kernel
  readonly database: Database
  readonly store: SessionStore
}

const subject = async (entries: readonly Entry[]): Promise<Subject> => {
  const kernel = unwrap(await Kernel.create([...entries, use(sessions)]), explain)
  const database = kernel.scope.get(Database)
  return { kernel, database, store: kernel.scope.get(SessionStore) }
}

const names = async ({ database }: Subject, where: string): Promise<readonly string[]> =>
  value(
    await database.run(
      { sql: `select session from sessions_lane where ${where} order by 1`, parameters: [] },
      signal,
    ),
  ).map(({ session }) => String(session))

/** One of all that can be done to a session, at random. */
async function act(
  { database, store }: Subject,
  refs: readonly [SessionRef, ...SessionRef[]],
  random: Random,
): Promise<void> {
  const ref = random.pick(refs)
  const owner = random.pick(OWNERS)
  const row = async (): Promise<SessionRecord | undefined> =>
    value(await store.sessionRecord(ref, signal))
  const work: readonly [() => Promise<unknown>, ...(() => Promise<unknown>)[]] = [
    async () => {
      const item = message(ref, {
        owner,
        control: random.chance(0.3),
        mayClaim: random.chance(0.7),
        resumes: random.chance(0.3),
        leaseMs: random.pick([1, 60_000]),
      })
      value(await store.accept(item, signal))
    },
    async () => {
      const sessionRecord = await row()
      if (!sessionRecord) return
      const waiting = value(await store.inbox(ref, signal))
      const taken = random.sample(waiting, random.within(0, waiting.length))
      const keys = (control: boolean) =>
        taken.filter((item) => item.control === control).map(({ key }) => key)
      const end = random.pick(['hold', 'end', 'end', 'park'] as const)
      const acknowledged = { messages: keys(false), controls: keys(true) }
      const due = random.pick([1, Date.now() + 60_000])
      const entries = [{ body: '{"run":"r"}' }]
      value(await store.commit(commit(sessionRecord, { entries, acknowledged, end, due }), signal))
    },
    async () => {
      const sessionRecord = await row()
      if (sessionRecord)
        value(await store.renew(owner, [sessionRecord], random.pick([0, 60_000]), signal))
    },
    async () => {
      const sessionRecord = await row()
      if (sessionRecord) value(await store.setAside(sessionRecord, SET_ASIDE, signal))
    },
    async () => {
      const sessionRecord = await row()
      if (sessionRecord) value(await store.endTrial(sessionRecord, 1, signal))
    },
    async () => {
      const how = { marginMs: random.pick([-1, 0]), limit: random.within(0, 3), maxSuspects: 2 }
      value(await store.takeover(owner, everything(how), signal))
    },
    async () => value(await store.remove(ref, signal)),
    async () => value(await store.create(ref, CREATE, signal)),
    async () => value(await store.fork(ref, newSession().session, 0, CREATE, signal)),
    async () => {
      await sweepSessions(another(database, { parkedTtlMs: 1, keyTtlMs: 1 }), 1, 10)
    },
    async () => {
      // As if the last turn had been a while ago.
      const sql = `update sessions_lane set updated_at = updated_at - interval '10 minutes' where session = $1`
      value(await database.run({ sql, parameters: [ref.session] }, signal))
    },
    async () => {
      const erased = await database.transaction(async (run) => {
        const person = { principal: principalId('ann') }
        const own = await eraser.sessions?.(person, run)
        if (own?.ok) value(await eraser.erase({ ...person, sessions: own.value }, run))
      }, signal)
      value(erased)
    },
  ]
  // What changes a lease most often, and the rest now and then.
  await (random.chance(0.6) ? random.pick([work[0], work[1] ?? work[0]]) : random.pick(work))()
}

async function checked(under: Subject, random: Random, steps: number): Promise<void> {
  const refs = [newSession(), newSession(), newSession(), newSession()] as const
  for (let step = 0; step < steps; step++) {
    const branches = Array.from({ length: random.within(1, 4) }, (_, n) =>
      random.branch(`${step} ${n}`),
    )
    await Promise.all(branches.map((one) => act(under, refs, one)))
    expect(await names(under, `not work and ${HAS_WORK}`), `seed ${random.seed}`).toEqual([])
  }
  const waiting = await names(under, `${HAS_WORK} and set_aside is null`)
  const found = new Set<string>()
  for (let remaining = 1; remaining > 0;) {
    const { sessions, suspectsFound } = value(
      await under.store.takeover(instanceId(`last ${random.seed}`), everything(), signal),
    )
    for (const { session } of sessions) found.add(session)
    remaining = suspectsFound
  }
  expect([...found], `seed ${random.seed}`).toEqual(expect.arrayContaining([...waiting]))
}

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

describe.each([
  ['PGlite', async () => subject([use(dbPglite, { dataDir: 'memory://' })])],
  [
    'Postgres',
    async () =>
      subject([use(secretsEnv), use(dbPostgres, { url: await postgres.createDatabase(), max: 4 })]),
  ],
] as const)('work on %s', (_name, make) => {
  it('is marked wherever there is some, and found', async () => {
    const under = await make()
    const random = newRandom()
    for (let round = 0; round < (isWhole() ? 40 : 4); round++)
      await checked(under, random.branch(`${round}`), 60)
    await under.kernel.close()
  })

  it('keeps its mark for a while, so that a turn changes no index, and loses it', async () => {
    const under = await make()
    const [one] = await claimed(under.store, 1)
    const { session } = one!.sessionRecord
    const acknowledged = { messages: [one!.key], controls: [] }
    value(
      await under.store.commit(commit(one!.sessionRecord, { acknowledged, end: 'end' }), signal),
    )
    const look = async () =>
      value(await under.store.takeover(OWNERS[0], everything(), signal)).sessions
    expect(await look()).toEqual([])
    expect(await names(under, 'work')).toEqual([session])
    const sql = `update sessions_lane set updated_at = updated_at - interval '10 minutes'`
    value(await under.database.run({ sql, parameters: [] }, signal))
    expect(await look()).toEqual([])
    expect(await names(under, 'work')).toEqual([])
    value(await under.store.accept(message(one!.sessionRecord, { mayClaim: false }), signal))
    expect(await look()).toMatchObject([{ session, messages: 1 }])
    await under.kernel.close()
  })

  it('that is not marked is refused by the database', async () => {
    const under = await make()
    await claimed(under.store, 1)
    const sql = 'update sessions_lane set work = false'
    expect(await under.database.run({ sql, parameters: [] }, signal)).toMatchObject({
      ok: false,
      error: { details: { sqlstate: '23514' } },
    })
    await under.kernel.close()
  })
})
