import dbPglite from '@amodal/plugin-db-pglite'
import {
  Database,
  definePlugin,
  explain,
  Kernel,
  Migrations,
  sessionId,
  SessionStore,
  tenantId,
  unwrap,
  use,
  type Row,
} from '@amodal/sdk'
import { sweepSessions } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessions } from '../src/index.ts'
import { MIGRATIONS } from '../src/migrations.ts'
import { another, commit, HERE, message, signal, value } from './support.ts'

/** The release whose journals have the tenant and the session as their key. */
const EARLIER = MIGRATIONS.migrations.findIndex(({ name }) => name.startsWith('turns change'))

const earlier = definePlugin({
  name: 'sessions',
  version: '0.0.1',
  requires: { database: Database },
  setup: ({ add }) =>
    add(Migrations, 'sessions', {
      ...MIGRATIONS,
      migrations: MIGRATIONS.migrations.slice(0, EARLIER),
    }),
})

const FILL = [
  `insert into sessions_lane(tenant, session, head, fence, owner, lease_until, claim, last_key, messages, controls, parked, state, status, title, tags,
    principal, message_count, input_tokens, output_tokens, model, parent, fork_at, meta, created_at, updated_at, idle_at, cost, crashes, trial, set_aside,
    unknown_effects, due, provider, last_end, request) values
   ('acme', 'rest', 3, 7, null, null, 'k1', 'c1', 0, 0, false, '{"v":1,"kind":"idle"}', 'active', 'At rest', '{a,b}', 'ann', 4, 50, 60, 'm', null, null,
    '{"x":1}', '2025-01-01 10:00:00.123456Z', '2025-01-02 10:00:00.654321Z', null, 7, 0, false, null, 0, null, 'p', '{"reason":"model_stop","at":1}', null),
   ('acme', 'fork', 3, 0, null, null, null, null, 0, 0, false, '{"v":1,"kind":"idle"}', 'active', 'Fork', '{}', 'bob', 0, 0, 0, null, 'rest', 2,
    '{}', '2025-01-02Z', '2025-01-03Z', null, null, 0, false, null, 0, null, null, null, null),
   ('acme', 'parked', 1, 2, null, null, 'k2', 'c2', 1, 0, true, '{"v":1,"kind":"run"}', 'active', 'Parked', '{}', 'ann', 1, 1, 1, 'm', null, null,
    '{}', '2025-01-03Z', '2025-01-04Z', null, null, 0, false, null, 0, 32503680000000, 'p', null, null),
   ('acme', 'lost', 1, 5, 'gone', '2025-01-05Z', 'k3', 'c3', 1, 0, false, '{"v":1,"kind":"run"}', 'active', 'Lost', '{}', 'ann', 1, 1, 1, 'm', null, null,
    '{}', '2025-01-04Z', '2025-01-05Z', null, null, 2, true, null, 1, null, 'p', null, null),
   ('acme', 'aside', 1, 5, null, null, 'k4', 'c4', 1, 0, false, '{"v":1,"kind":"run"}', 'active', 'Aside', '{}', 'ann', 1, 1, 1, 'm', null, null,
    '{}', '2025-01-05Z', '2025-01-06Z', null, null, 3, false, '{"code":"RUN_SET_ASIDE"}', 0, null, 'p', null, null),
   ('zeta', 'rest', 1, 1, null, null, null, null, 0, 0, false, '{"v":1,"kind":"idle"}', 'idle', 'Other tenant', '{}', 'ann', 1, 1, 1, 'm', null, null,
    '{}', '2025-01-06Z', '2025-01-07Z', '2025-01-08Z', null, 0, false, null, 0, null, 'p', null, null),
   ('zeta', 'expired', 9, 1, null, null, null, null, 0, 0, false, '{"v":1,"kind":"idle"}', 'expired', 'Expired', '{}', 'ann', 1, 1, 1, 'm', null, null,
    '{}', '2025-01-07Z', '2025-01-08Z', '2025-01-08Z', null, 0, false, null, 0, null, 'p', null, 'digest')`,
  `insert into sessions_journal(tenant, session, seq, body, sealed) values
   ('acme', 'rest', 1, 'r1', null), ('acme', 'rest', 2, 'r2', 'sealed'), ('acme', 'rest', 3, 'r3', null), ('acme', 'fork', 3, 'f3', null),
   ('acme', 'parked', 1, 'p1', null), ('acme', 'lost', 1, 'l1', null), ('acme', 'aside', 1, 'a1', null), ('zeta', 'rest', 1, 'z1', null)`,
  `insert into sessions_inbox(tenant, session, key, body, control, taken) values
   ('acme', 'rest', 'k1', 'asked', false, true), ('acme', 'parked', 'k9', 'waits', false, false), ('acme', 'lost', 'k3', 'waits', false, false),
   ('acme', 'aside', 'k4', 'waits', false, false)`,
]

/** The columns that existed before. */
const KEPT = `select to_jsonb(l) - 'lane' - 'bucket' - 'work' - 'kind' as lane from sessions_lane l order by tenant, session`

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'amodal-sessions-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const booted = async (plugin: typeof sessions | typeof earlier) =>
  unwrap(await Kernel.create([use(dbPglite, { dataDir }), use(plugin)]), explain)

it('keeps all that a database of an earlier release holds', async () => {
  const before = await booted(earlier)
  const run = async (kernel: Kernel, sql: string): Promise<readonly Row[]> =>
    value(await kernel.scope.get(Database).run({ sql, parameters: [] }, signal))
  for (const sql of FILL) await run(before, sql)
  const rowsBefore = await run(before, KEPT)
  const inbox = await run(before, 'select * from sessions_inbox order by n')
  await before.close()

  const after = await booted(sessions)
  expect(await run(after, KEPT)).toEqual(rowsBefore)
  expect(await run(after, 'select * from sessions_inbox order by n')).toEqual(inbox)
  const store = after.scope.get(SessionStore)
  const ref = (tenant: string, session: string) => ({
    tenant: tenantId(tenant),
    session: sessionId(session),
  })
  const entries = async (tenant: string, session: string) =>
    value(await store.entries(ref(tenant, session), { after: 0 }, signal))
  const first = [
    { seq: 1, body: 'r1' },
    { seq: 2, body: 'r2', sealed: 'sealed' },
  ]
  expect(await entries('acme', 'rest')).toEqual([...first, { seq: 3, body: 'r3' }])
  expect(await entries('acme', 'fork')).toEqual([...first, { seq: 3, body: 'f3' }])
  expect(await entries('zeta', 'rest')).toEqual([{ seq: 1, body: 'z1' }])
  expect(await entries('zeta', 'expired')).toEqual([])

  // They go on as they were: work is found, parked and set aside ones wait, all are listed.
  const take = { marginMs: 0, leaseMs: 1_000, limit: 10, maxSuspects: 10, trial: true }
  expect(value(await store.takeover(HERE, take, signal)).sessions).toMatchObject([
    { session: 'lost', fencingToken: 6, messages: 1, crashes: 3, convicted: true },
  ])
  const { rows } = value(await store.list(tenantId('acme'), { limit: 10 }, signal))
  expect(rows.map(({ session }) => session)).toEqual(['aside', 'lost', 'parked', 'fork', 'rest'])
  const { sessionRecord } = value(await store.accept(message(ref('acme', 'rest')), signal))
  expect(value(await store.commit(commit(sessionRecord!), signal))).toMatchObject({ verdict: 'ok' })
  expect((await entries('acme', 'rest')).at(-1)).toEqual({ seq: 4, body: 'a' })
  await sweepSessions(another(after.scope.get(Database)), 1, 10)
  expect(await entries('zeta', 'rest')).toEqual([])
  await after.close()
})
