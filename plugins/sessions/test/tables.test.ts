import { catalogueProblems } from '@amodal/sdk/database'
import {
  tenantId,
  type Accept,
  type Database,
  type SessionStore,
  type Statement,
} from '@amodal/sdk'
import { sweepSessions } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCEPT, acceptRows } from '../src/accept.ts'
import { COMMIT, commitRows } from '../src/commit.ts'
import { ENTRIES } from '../src/entries.ts'
import { INBOX, SESSION_RECORD } from '../src/lease.ts'
import { MIGRATIONS } from '../src/migrations.ts'
import { LIST, ROW } from '../src/session-row.ts'
import { another, boot, claimed, commit, message, newSession, signal, value } from './support.ts'

let booted: Awaited<ReturnType<typeof boot>>
let store: SessionStore
let database: Database
beforeAll(async () => {
  booted = await boot()
  ;({ store, database } = booted)
})
afterAll(() => booted.close())

const COMMIT_TEXT = COMMIT({ commits: '', acknowledged: '', erase: '', notifications: [] }).sql

describe('expiry', () => {
  it('forgets the keys of answered messages, later', async () => {
    const [one] = await claimed(store, 1)
    const repeated = message(one!.sessionRecord, { key: one!.key })
    value(
      await store.commit(
        commit(one!.sessionRecord, { acknowledged: { messages: [one!.key], controls: [] } }),
        signal,
      ),
    )
    await sweepSessions(another(database), 60_000, 10)
    expect(value(await store.accept(repeated, signal))).toMatchObject({ isNew: false })
    await new Promise((resolve) => setTimeout(resolve, 10))
    await sweepSessions(another(database, { keyTtlMs: 1 }), 60_000, 10)
    expect(value(await store.accept(repeated, signal))).toMatchObject({ isNew: true })
  })

  it('goes through all keys in turn, those of every tenant', async () => {
    const answered = async (name: string): Promise<Accept> => {
      const item = message({ ...newSession(), tenant: tenantId(name) })
      const { sessionRecord } = value(await store.accept(item, signal))
      const acknowledged = { messages: [item.key], controls: [] }
      value(await store.commit(commit(sessionRecord!, { acknowledged }), signal))
      return item
    }
    const items: Accept[] = []
    for (let n = 0; n < 120; n++) items.push(await answered(`t${n % 3}`))
    await new Promise((resolve) => setTimeout(resolve, 10))
    const forgetful = another(database, { keyTtlMs: 1 })
    const acknowledgedItems = async (): Promise<number> => {
      const sql = `select count(*)::int as n from sessions_inbox where taken and tenant like 't_'`
      return Number(value(await database.run({ sql, parameters: [] }, signal))[0]?.['n'])
    }
    expect(await acknowledgedItems()).toBe(120)
    await expect
      .poll(
        async () => {
          await sweepSessions(forgetful, 60_000, 1) // looks at 50
          return acknowledgedItems()
        },
        { interval: 0 },
      )
      .toBe(0)
    for (const item of items.slice(0, 3))
      expect(value(await store.accept({ ...item, key: 'again' }, signal))).toMatchObject({
        isNew: true,
      })
    // One that waits stays, however old.
    await sweepSessions(forgetful, 60_000, 1_000)
    expect(value(await store.inbox(items[0]!, signal))).toMatchObject([{ key: 'again' }])
  })

  it('ends a wait for a person in the end', async () => {
    const [one] = await claimed(store, 1)
    value(
      await store.commit(
        commit(one!.sessionRecord, {
          acknowledged: { messages: [one!.key], controls: [] },
          end: 'park',
          state: '{"v":1,"kind":"run"}',
        }),
        signal,
      ),
    )
    const { tenant, session } = one!.sessionRecord
    const impatient = another(database, { parkedTtlMs: 1 })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await sweepSessions(impatient, 5, 1_000)).idle).toContainEqual({ tenant, session })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await sweepSessions(impatient, 5, 1_000)).expired).toContainEqual({
      tenant,
      session,
    })
    expect(value(await store.sessionRecord(one!.sessionRecord, signal))).toMatchObject({
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
    const { sessionRecord } = one!
    const lookUps = async (): Promise<void> => {
      const statements = [
        SESSION_RECORD(sessionRecord),
        ROW(sessionRecord),
        INBOX(sessionRecord),
        ENTRIES({ ...sessionRecord, after: 0, upto: undefined, limit: undefined }),
        COMMIT({ ...commitRows([commit(sessionRecord, { erase: [1] })]), notifications: [] }),
        ACCEPT({ items: acceptRows([message(sessionRecord)]) }),
      ]
      for (const statement of statements) {
        const text = await plan(statement)
        expect(text).not.toMatch(
          /Seq Scan on sessions_|sessions_lane_(active|idle|resting|expired|work|forks|due|parked)/,
        )
        expect(text).toMatch(/_pkey/)
        if (statement.sql === COMMIT_TEXT)
          for (const cond of ['session = .*key = acknowledging', 'lane = erasing.*seq = erasing'])
            expect(text).toMatch(new RegExp(`Index Cond: .*${cond}`))
      }
      for (const principal of [undefined, 'ann'])
        expect(
          await plan(
            LIST({
              tenant: sessionRecord.tenant,
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
