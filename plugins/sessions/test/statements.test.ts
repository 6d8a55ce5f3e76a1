import { catalogueProblems } from '@amodal/sdk/database'
import {
  err,
  failure,
  sessionId,
  tenantId,
  type Accept,
  type Database,
  type Failure,
  type SessionRef,
  type SessionStore,
  type Statement,
} from '@amodal/sdk'
import { sweepSessions } from '@amodal/sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACCEPT, acceptRows } from '../src/accept.ts'
import { COMMIT, commitRows } from '../src/commit.ts'
import { ENTRIES } from '../src/history.ts'
import { INBOX, LEASE } from '../src/lease.ts'
import { MIGRATIONS } from '../src/migrations.ts'
import { LIST, ROW } from '../src/session-row.ts'
import {
  another,
  boot,
  type Between,
  claimed,
  commit,
  HERE,
  message,
  newSession,
  signal,
  value,
} from './support.ts'

let booted: Awaited<ReturnType<typeof boot>>
let store: SessionStore
let database: Database
let between: Between
beforeAll(async () => {
  booted = await boot()
  ;({ store, database, between } = booted)
})
beforeEach(() => between.reset())
afterAll(() => booted.close())

const ACCEPT_TEXT = ACCEPT({ items: '' }).sql
const COMMIT_TEXT = COMMIT({ commits: '', took: '', erase: '', told: [] }).sql
const ACCEPT_AND_COMMIT = [ACCEPT_TEXT, COMMIT_TEXT]

const broke = (): Failure =>
  failure('STORE_FAILED', 'the connection broke', { details: { connection: true } })

describe('statements', () => {
  it('are two for a turn of text: the message, and all that came of it', async () => {
    const item = message(newSession())
    const { lease } = value(await store.accept(item, signal))
    value(
      await store.commit(
        commit(lease!, {
          entries: [{ body: 'asked' }, { body: 'replied' }, { body: 'ended' }],
          acknowledged: { messages: [item.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('are two as well where other instances are told', async () => {
    const telling = another(database, { notifyInstances: true })
    const [one] = await claimed(telling, 1)
    value(await telling.commit(commit(one!.lease), signal))
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('serve all sessions that come at once', async () => {
    const sessions = await claimed(store, 64)
    await Promise.all(
      sessions.map(async ({ lease }) => value(await store.commit(commit(lease), signal))),
    )
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('carry what comes while one is on its way together with the next', async () => {
    const sessions = await claimed(store, 40)
    between.statements.length = 0
    const begun = Promise.withResolvers<void>()
    between.act = async (statement, run) => {
      begun.resolve()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return run(statement)
    }
    const first = store.commit(commit(sessions[0]!.lease), signal)
    await begun.promise
    await Promise.all([
      first,
      ...sessions
        .slice(1)
        .map(async ({ lease }) => value(await store.commit(commit(lease), signal))),
    ])
    expect(between.statements).toHaveLength(2)
  })

  it('never carry two items of one session, which keep their order', async () => {
    const ref = newSession()
    const items = Array.from({ length: 5 }, () => message(ref))
    const accepted = await Promise.all(items.map((item) => store.accept(item, signal)))
    expect(accepted.map((one) => value(one).claimed)).toEqual([true, false, false, false, false])
    expect(value(await store.inbox(ref, signal)).map(({ key }) => key)).toEqual(
      items.map(({ key }) => key),
    )
    expect(between.statements.filter((sql) => sql === ACCEPT_TEXT)).toHaveLength(5)
  })

  it('are cut where they would become too large', async () => {
    const sessions = await claimed(store, 3)
    between.statements.length = 0
    const large = 'x'.repeat(400_000)
    await Promise.all(
      sessions.map(async ({ lease }) =>
        value(await store.commit(commit(lease, { entries: [{ body: large }] }), signal)),
      ),
    )
    expect(between.statements).toHaveLength(2)
  })
})

describe('a connection that breaks', () => {
  it('leaves every commit of the batch in doubt, and repeating them with their keys writes once', async () => {
    const sessions = await claimed(store, 3)
    const commits = sessions.map(({ lease, key }) =>
      commit(lease, { acknowledged: { messages: [key], controls: [] } }),
    )
    between.act = async (statement, run) => {
      await run(statement) // executed, and the answer is lost
      return err(broke())
    }
    for (const said of await Promise.all(commits.map((one) => store.commit(one, signal)))) {
      expect(said).toMatchObject({
        ok: false,
        error: { code: 'STORE_FAILED', details: { connection: true } },
      })
    }
    between.act = (statement, run) => run(statement)
    for (const one of commits) {
      expect(value(await store.commit(one, signal))).toEqual({
        verdict: 'ok',
        mine: true,
        released: false,
        messages: 0,
        controls: 0,
      })
      expect(value(await store.entries(one, { after: 0 }, signal))).toEqual([{ seq: 1, body: 'a' }])
      expect(value(await store.row(one, signal))).toMatchObject({ messageCount: 1 })
    }
  })

  it.each([
    ['a deadlock', '40P01'],
    ['a statement that was cancelled', '57014'],
    ['too many connections', '53300'],
    ['a statement that was never started', undefined],
  ])('looks to a caller as does %s: repeat it', async (_, sqlstate) => {
    const [one] = await claimed(store, 1)
    between.act = async () =>
      err(
        failure('STORE_FAILED', 'not now', {
          details: sqlstate === undefined ? { aborted: true } : { sqlstate },
        }),
      )
    expect(await store.commit(commit(one!.lease), signal)).toMatchObject({
      ok: false,
      error: { details: { connection: true } },
    })
  })

  it('is nothing like a statement that the database refuses', async () => {
    const [one] = await claimed(store, 1)
    between.act = async () =>
      err(failure('STORE_FAILED', 'no such table', { details: { sqlstate: '42P01' } }))
    const said = await store.commit(commit(one!.lease), signal)
    expect(said.ok ? undefined : said.error.details).toEqual({ sqlstate: '42P01' })
  })

  it('tries each by itself after a deadlock', async () => {
    const sessions = await claimed(store, 3)
    let tries = 0
    between.act = async (statement, run) =>
      ++tries === 1
        ? err(failure('STORE_FAILED', 'deadlock', { details: { sqlstate: '40P01' } }))
        : run(statement)
    for (const said of await Promise.all(
      sessions.map(({ lease }) => store.commit(commit(lease), signal)),
    ))
      expect(said).toMatchObject({ ok: true, value: { verdict: 'ok' } })
    expect(tries).toBe(4)
  })
})

describe('a caller who leaves', () => {
  it('does not keep the lane it claimed', async () => {
    const ref = newSession()
    const stop = new AbortController()
    between.act = async (statement, run) => {
      const done = await run(statement)
      stop.abort(new Error('the client has left'))
      return done
    }
    expect(await store.accept(message(ref), stop.signal)).toMatchObject({
      ok: false,
      error: { details: { connection: true } },
    })
    between.act = (statement, run) => run(statement)
    const how = { marginMs: 60_000, leaseMs: 1_000, limit: 10, suspects: 0, trial: false }
    // Free for whoever looks next, although the lease it was claimed with would last.
    await expect
      .poll(async () => value(await store.takeover(HERE, how, signal)).leases)
      .toMatchObject([{ ...ref, fencingToken: 2, messages: 1 }])
  })
})

describe('news', () => {
  it('reach other instances of every session in a large batch', async () => {
    const telling = another(database, { notifyInstances: true })
    const peer = another(database, { notifyInstances: true })
    const heard = new Set<string>()
    const end = peer.watch(({ session }) => heard.add(session))
    const own: SessionRef[] = []
    const endOwn = telling.watch((ref) => own.push(ref))
    // Ids as long as they may be: one notification does not hold them all.
    const sessions = await claimed(telling, 64, () => ({
      tenant: tenantId('t'.repeat(128)),
      session: sessionId(newSession().session.padEnd(128, 'x')),
    }))
    await database.run(
      {
        sql: "select pg_notify('sessions', 'nonsense'), pg_notify('sessions', '{\"lanes\":[[1],null]}')",
        parameters: [],
      },
      signal,
    )
    await Promise.all(
      sessions.map(async ({ lease }) => value(await telling.commit(commit(lease), signal))),
    )
    await expect.poll(() => heard.size).toBe(64)
    expect(own).toEqual([])
    end()
    endOwn()
    peer.close()
  })

  it('are not sent where this process is alone', async () => {
    const heard: string[] = []
    database.listen('sessions', (payload) => heard.push(payload))
    const [one] = await claimed(store, 1)
    value(await store.commit(commit(one!.lease), signal))
    value(await store.accept(message(one!.lease, { owner: one!.lease.owner! }), signal))
    await database.notify('sessions', 'last', signal)
    await expect.poll(() => heard).toEqual(['last'])
  })
})

describe('expiry', () => {
  it('forgets the keys of answered messages, later', async () => {
    const [one] = await claimed(store, 1)
    const repeated = message(one!.lease, { key: one!.key })
    value(
      await store.commit(
        commit(one!.lease, { acknowledged: { messages: [one!.key], controls: [] } }),
        signal,
      ),
    )
    await sweepSessions(another(database), 60_000, 10)
    expect(value(await store.accept(repeated, signal))).toMatchObject({ fresh: false })
    await new Promise((resolve) => setTimeout(resolve, 10))
    await sweepSessions(another(database, { keyTtlMs: 1 }), 60_000, 10)
    expect(value(await store.accept(repeated, signal))).toMatchObject({ fresh: true })
  })

  it('goes through all keys in turn, those of every tenant', async () => {
    const answered = async (name: string): Promise<Accept> => {
      const item = message({ ...newSession(), tenant: tenantId(name) })
      const { lease } = value(await store.accept(item, signal))
      const acknowledged = { messages: [item.key], controls: [] }
      value(await store.commit(commit(lease!, { acknowledged }), signal))
      return item
    }
    const items: Accept[] = []
    for (let n = 0; n < 120; n++) items.push(await answered(`t${n % 3}`))
    await new Promise((resolve) => setTimeout(resolve, 10))
    const forgetful = another(database, { keyTtlMs: 1 })
    const left = async (): Promise<number> => {
      const sql = `select count(*)::int as n from sessions_inbox where taken and tenant like 't_'`
      return Number(value(await database.run({ sql, parameters: [] }, signal))[0]?.['n'])
    }
    expect(await left()).toBe(120)
    await expect
      .poll(
        async () => {
          await sweepSessions(forgetful, 60_000, 1) // looks at 50
          return left()
        },
        { interval: 0 },
      )
      .toBe(0)
    for (const item of items.slice(0, 3))
      expect(value(await store.accept({ ...item, key: 'again' }, signal))).toMatchObject({
        fresh: true,
      })
    // One that waits stays, however old.
    await sweepSessions(forgetful, 60_000, 1_000)
    expect(value(await store.inbox(items[0]!, signal))).toMatchObject([{ key: 'again' }])
  })

  it('ends a wait for a person in the end', async () => {
    const [one] = await claimed(store, 1)
    value(
      await store.commit(
        commit(one!.lease, {
          acknowledged: { messages: [one!.key], controls: [] },
          end: 'park',
          state: '{"v":1,"kind":"run"}',
        }),
        signal,
      ),
    )
    const { tenant, session } = one!.lease
    const impatient = another(database, { parkedTtlMs: 1 })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await sweepSessions(impatient, 5, 1_000)).idle).toContainEqual({ tenant, session })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await sweepSessions(impatient, 5, 1_000)).expired).toContainEqual({
      tenant,
      session,
    })
    expect(value(await store.lease(one!.lease, signal))).toMatchObject({
      status: 'expired',
      parked: false,
      state: '{"v":1,"kind":"idle"}',
    })
  })
})

describe('lists', () => {
  it('are in the order of time, page by page, within and across buckets', async () => {
    const tenant = tenantId('listed')
    const rows = (sql: string) => database.run({ sql, parameters: [] }, signal)
    // Forty within a bucket or at its edge, some at the same time, and forty over hours.
    value(
      await rows(`insert into sessions_lane(tenant, session, head, fence, state, title, principal, meta, updated_at, status)
        select 'listed', 's' || n * 37 % 80, 0, 0, '', '', 'ann', '{}',
          timestamptz '2026-01-01 12:00Z' + case when n <= 40 then (n / 3) * interval '30.000001 seconds' else n * interval '7 minutes' end,
          case n % 5 when 0 then 'expired' when 1 then 'idle' else 'active' end
        from generate_series(1, 80) n`),
    )
    const exact = value(
      await rows(
        `select session from sessions_lane where tenant = 'listed' order by updated_at desc, session desc`,
      ),
    ).map(({ session }) => String(session))
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = value(
        await store.list(tenant, { limit: 7, ...(cursor !== undefined && { cursor }) }, signal),
      )
      listed.push(...page.rows.map(({ session }) => session))
      cursor = page.next
    } while (cursor !== undefined)
    expect(listed).toEqual(exact)
  })
})

describe('the schema', () => {
  it("carries the plugin's name, and leads with the tenant everywhere", async () => {
    expect(
      value(
        await catalogueProblems(
          database,
          [MIGRATIONS],
          { sessions_journal: 'the number of a session is of one tenant' },
          signal,
        ),
      ),
    ).toEqual([])
  })

  // What a turn changes is in none of them, so that its updates add no index entries.
  it('has few columns of sessions in indexes, and in their conditions', async () => {
    const sql = `select distinct a.attname as name from pg_depend d join pg_class i on i.oid = d.objid and i.relkind = 'i'
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.refobjid = 'sessions_lane'::regclass order by 1`
    const columns = value(await database.run({ sql, parameters: [] }, signal))
    expect(columns.map(({ name }) => name)).toEqual([
      'bucket',
      'due',
      'idle_at',
      'kind',
      'parent',
      'parked',
      'session',
      'set_aside',
      'status',
      'tenant',
      'unknown_effects',
      'work',
    ])
  })

  // A planner without statistics took any index that leads with `tenant`, and read all sessions to
  // find one.
  it('lets one session be found by its key, however many a tenant has', async () => {
    const plan = async ({ sql, parameters }: Statement): Promise<string> => {
      const rows = value(await database.run({ sql: `explain ${sql}`, parameters }, signal))
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
    }
    const [one] = await claimed(another(database), 1)
    const { lease } = one!
    const lookUps = async (): Promise<void> => {
      const statements = [
        LEASE(lease),
        ROW(lease),
        INBOX(lease),
        ENTRIES({ ...lease, after: 0, upto: undefined, limit: undefined }),
        COMMIT({ ...commitRows([commit(lease, { erase: [1] })]), told: [] }),
        ACCEPT({ items: acceptRows([message(lease)]) }),
      ]
      for (const statement of statements) {
        const text = await plan(statement)
        expect(text).not.toMatch(
          /Seq Scan on sessions_|sessions_lane_(active|idle|resting|expired|work|forks|due|parked)/,
        )
        expect(text).toMatch(/_pkey/)
        if (statement.sql === COMMIT_TEXT)
          for (const cond of ['session = .*key = k', 'lane = k.*seq = k'])
            expect(text).toMatch(new RegExp(`Index Cond: .*${cond}`))
      }
      for (const principal of [undefined, 'ann'])
        expect(
          await plan(
            LIST({
              tenant: lease.tenant,
              us: '253402300799000000',
              session: '',
              limit: 10,
              principal,
              subagents: false,
              waiting: undefined,
              tags: undefined,
              kinds: undefined,
              search: undefined,
              lowered: undefined,
              standing: undefined,
              model: undefined,
              from: 0,
            }),
          ),
        ).toMatch(/Index Scan.* (on|using) sessions_lane_active/)
    }
    await lookUps()
    for (const sql of [
      `insert into sessions_lane(tenant, session, head, fence, state, title, principal, meta, updated_at) select 'acme', 'x' || n, 0, 0, '', '', '', '', now() - n * interval '1 minute' from generate_series(1, 3000) n`,
      `insert into sessions_inbox(tenant, session, key, body, control, taken) select 'acme', 'x' || n, 'k', '', false, true from generate_series(1, 3000) n`,
      `insert into sessions_journal(lane, seq, body) select lane, 100, '' from sessions_lane where session like 'x%'`,
    ])
      value(await database.run({ sql, parameters: [] }, signal))
    await lookUps()
    value(await database.run({ sql: 'analyze', parameters: [] }, signal))
    await lookUps()
  })
})
