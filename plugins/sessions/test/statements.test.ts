import { catalogueProblems } from '@amodal/sdk/database'
import {
  err,
  failure,
  sessionId,
  tenantId,
  type Database,
  type Failure,
  type LaneRef,
  type SessionStore,
  type Statement,
} from '@amodal/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACCEPT, acceptRows } from '../src/accept.ts'
import { COMMIT, commitRows } from '../src/commit.ts'
import { ENTRIES } from '../src/history.ts'
import { INBOX, LANE } from '../src/lane.ts'
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
    const { lane } = value(await store.accept(item, signal))
    value(
      await store.commit(
        commit(lane!, {
          entries: [{ body: 'asked' }, { body: 'replied' }, { body: 'ended' }],
          took: { messages: [item.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('are two as well where other instances are told', async () => {
    const telling = another(database, { tell: true })
    const [one] = await claimed(telling, 1)
    value(await telling.commit(commit(one!.lane), signal))
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('serve all sessions that come at once', async () => {
    const sessions = await claimed(store, 64)
    await Promise.all(
      sessions.map(async ({ lane }) => value(await store.commit(commit(lane), signal))),
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
    const first = store.commit(commit(sessions[0]!.lane), signal)
    await begun.promise
    await Promise.all([
      first,
      ...sessions.slice(1).map(async ({ lane }) => value(await store.commit(commit(lane), signal))),
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
      sessions.map(async ({ lane }) =>
        value(await store.commit(commit(lane, { entries: [{ body: large }] }), signal)),
      ),
    )
    expect(between.statements).toHaveLength(2)
  })
})

describe('a connection that breaks', () => {
  it('leaves every commit of the batch in doubt, and repeating them with their keys writes once', async () => {
    const sessions = await claimed(store, 3)
    const commits = sessions.map(({ lane, key }) =>
      commit(lane, { took: { messages: [key], controls: [] } }),
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
    expect(await store.commit(commit(one!.lane), signal)).toMatchObject({
      ok: false,
      error: { details: { connection: true } },
    })
  })

  it('is nothing like a statement that the database refuses', async () => {
    const [one] = await claimed(store, 1)
    between.act = async () =>
      err(failure('STORE_FAILED', 'no such table', { details: { sqlstate: '42P01' } }))
    const said = await store.commit(commit(one!.lane), signal)
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
      sessions.map(({ lane }) => store.commit(commit(lane), signal)),
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
      .poll(async () => value(await store.takeover(HERE, how, signal)).lanes)
      .toMatchObject([{ ...ref, fence: 2, messages: 1 }])
  })
})

describe('news', () => {
  it('reach other instances of every session in a large batch', async () => {
    const telling = another(database, { tell: true })
    const peer = another(database, { tell: true })
    const heard = new Set<string>()
    const end = peer.watch(({ session }) => heard.add(session))
    const own: LaneRef[] = []
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
      sessions.map(async ({ lane }) => value(await telling.commit(commit(lane), signal))),
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
    value(await store.commit(commit(one!.lane), signal))
    value(await store.accept(message(one!.lane, { owner: one!.lane.owner! }), signal))
    await database.notify('sessions', 'last', signal)
    await expect.poll(() => heard).toEqual(['last'])
  })
})

describe('expiry', () => {
  it('forgets the keys of answered messages, later', async () => {
    const [one] = await claimed(store, 1)
    const repeated = message(one!.lane, { key: one!.key })
    value(
      await store.commit(
        commit(one!.lane, { took: { messages: [one!.key], controls: [] } }),
        signal,
      ),
    )
    value(await another(database).expire(60_000, 10, signal))
    expect(value(await store.accept(repeated, signal))).toMatchObject({ fresh: false })
    await new Promise((resolve) => setTimeout(resolve, 10))
    value(await another(database, { keyTtlMs: 1 }).expire(60_000, 10, signal))
    expect(value(await store.accept(repeated, signal))).toMatchObject({ fresh: true })
  })

  it('ends a wait for a person in the end', async () => {
    const [one] = await claimed(store, 1)
    value(
      await store.commit(
        commit(one!.lane, {
          took: { messages: [one!.key], controls: [] },
          end: 'park',
          state: '{"v":1,"kind":"run"}',
        }),
        signal,
      ),
    )
    const { tenant, session } = one!.lane
    const impatient = another(database, { parkedTtlMs: 1 })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(value(await impatient.expire(5, 1_000, signal)).idle).toContainEqual({ tenant, session })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(value(await impatient.expire(5, 1_000, signal)).expired).toContainEqual({
      tenant,
      session,
    })
    expect(value(await store.lane(one!.lane, signal))).toMatchObject({
      status: 'expired',
      parked: false,
      state: '{"v":1,"kind":"idle"}',
    })
  })
})

describe('the schema', () => {
  it("carries the plugin's name, and leads with the tenant everywhere", async () => {
    expect(value(await catalogueProblems(database, [MIGRATIONS], {}, signal))).toEqual([])
  })

  // A planner without statistics took any index that leads with `tenant`, and read all sessions to
  // find one.
  it('lets one session be found by its key, however many a tenant has', async () => {
    const plan = async ({ sql, parameters }: Statement): Promise<string> => {
      const rows = value(await database.run({ sql: `explain ${sql}`, parameters }, signal))
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
    }
    const [one] = await claimed(another(database), 1)
    const { lane } = one!
    const lookUps = async (): Promise<void> => {
      const statements = [
        LANE(lane),
        ROW(lane),
        INBOX(lane),
        ENTRIES({ ...lane, after: 0, upto: undefined, limit: undefined }),
        COMMIT({ ...commitRows([commit(lane, { erase: [1] })]), told: [] }),
        ACCEPT({ items: acceptRows([message(lane)]) }),
      ]
      for (const statement of statements) {
        const text = await plan(statement)
        expect(text).not.toMatch(
          /Seq Scan on sessions_|sessions_lane_(open|expired|work|forks|due|parked)|sessions_inbox_taken/,
        )
        expect(text).toMatch(/_pkey/)
        if (statement.sql === COMMIT_TEXT)
          for (const last of ['key', 'seq'])
            expect(text).toMatch(new RegExp(`Index Cond: .*session = .*${last} = k`))
      }
      for (const principal of [undefined, 'ann'])
        expect(
          await plan(
            LIST({
              tenant: lane.tenant,
              us: '253402300799000000',
              session: '',
              limit: 10,
              principal,
              subagents: false,
              waiting: undefined,
              tags: undefined,
            }),
          ),
        ).toMatch(/Index Scan.* (on|using) sessions_lane_open/)
    }
    await lookUps()
    for (const sql of [
      `insert into sessions_lane(tenant, session, head, fence, state, title, principal, meta) select 'acme', 'x' || n, 0, 0, '', '', '', '' from generate_series(1, 3000) n`,
      `insert into sessions_inbox(tenant, session, key, body, control, taken) select 'acme', 'x' || n, 'k', '', false, true from generate_series(1, 3000) n`,
      `insert into sessions_journal(tenant, session, seq, body) select 'acme', 'x' || n, 1, '' from generate_series(1, 3000) n`,
    ])
      value(await database.run({ sql, parameters: [] }, signal))
    await lookUps()
    value(await database.run({ sql: 'analyze', parameters: [] }, signal))
    await lookUps()
  })
})
