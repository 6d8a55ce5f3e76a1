import { dbPglite } from '@amodal/plugin-db-pglite'
import { sessions } from '@amodal/plugin-sessions'
import { SessionRelations } from '@amodal/plugin-sessions/tokens'
import {
  type AuditDraft,
  Database,
  explain,
  instanceId,
  type JournalEntry,
  Kernel,
  OUTCOME_SETTLED,
  readEntries,
  type Result,
  runId,
  sessionId,
  type SessionRef,
  SessionStore,
  silentLogger,
  type Statement,
  tenantId,
  unwrap,
  use,
} from '@amodal/sdk'
import { runQuery, sql } from '@amodal/sdk/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catchUp } from '../src/catch-up.ts'
import { DatabaseChains } from '../src/database-store.ts'
import { audit } from '../src/index.ts'
import { draftsOf, draftsOfJournal } from '../src/lines-of.ts'
import { Trail } from '../src/trail.ts'
import { unwrittenOf } from '../src/unwritten.ts'

const MINUTE = 60_000
const signal = AbortSignal.timeout(120_000)
const value = <T>(result: Result<T, { readonly message: string }>): T =>
  unwrap(result, ({ message }) => message)

let kernel: Kernel
let database: Database
let store: SessionStore
let relations: SessionRelations
let now: number
beforeAll(async () => {
  kernel = unwrap(
    await Kernel.create([use(dbPglite, { dataDir: 'memory://' }), use(sessions), use(audit)]),
    explain,
  )
  const { scope } = kernel
  database = scope.get(Database)
  store = scope.get(SessionStore)
  relations = scope.get(SessionRelations)
  const rows = await runQuery(
    database,
    sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
    signal,
  )
  now = value(rows)[0]?.now ?? 0
})
afterAll(() => kernel.close())

type Fields<E> = E extends JournalEntry ? Omit<E, 'v' | 'run' | 'at'> : never
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
const RUN = runId('run_1')

const entry = (fields: Fields<JournalEntry>, at: number, run = RUN): JournalEntry =>
  // as the kernel makes them, in the order of its fields
  ({ v: fields.kind === 'user_message' ? 2 : 1, run, at, ...fields })

const message = { kind: 'user_message', key: 'k', principal: 'ann', text: 'Hi', bundle: 'b' }
const ended = { kind: 'run_ended', reason: 'model_stop', usage: USAGE, steps: 1 }
const outcome = (call: string, more: object = {}): object => ({
  ...{ kind: 'tool_outcome', call, name: 'look', ms: 1, status: 'success', output: { a: 1 } },
  ...more,
})
const proposal = (id: string, status: string) => ({
  ...{ type: 'kb_proposal', proposal_id: id, scope: 'agent', title: 'A "b"', reasoning: '' },
  status,
})
const settled = (call: string, code: string) => ({
  ...{ kind: 'note', code, text: `"pay" (${call}): it "happened"` },
  data: { call, name: 'pay', settlement: 'done', by: 'ann' },
})
const EVERY_LINE: readonly object[] = [
  message,
  {
    kind: 'model_reply',
    step: 1,
    text: 'Hm',
    calls: [],
    usage: USAGE,
    model: {},
    finish: '',
    ms: 1,
  },
  {
    kind: 'tool_intent',
    call: 'c1',
    name: 'pay',
    args: {},
    args_hash: '',
    tool_hash: '',
    keyed: true,
  },
  outcome('c1'),
  outcome('c2', { events: [proposal('c2', 'approved')] }),
  { kind: 'input_asked', ask: 'a1', ask_type: 'approval', call: 'c6', schema: {}, context: {} },
  {
    kind: 'input_answered',
    ask: 'a1',
    ask_type: 'approval',
    answer: {},
    principal: 'ann',
    key: 'k2',
  },
  { kind: 'compacted', cause: 'threshold', upto: 2, summary: 'Short' },
  { kind: 'child_opened', call: 'c7', child: 's2', agent: 'scout', prompt: 'Look' },
  { kind: 'child_closed', call: 'c7', child: 's2', status: 'success', summary: '', usage: USAGE },
  { kind: 'note', code: 'recovered', text: 'a note without a line' },
  settled('c8', OUTCOME_SETTLED),
  settled('c9', 'retry_failed'),
  {
    kind: 'note',
    code: 'x',
    text: '',
    data: { plugin: 'approval-grants', answer: { revoked: 'a1' } },
  },
  ended,
]
/** Their text does not say which lines they have, so their sessions are read each time. */
const ODD: readonly object[] = [
  outcome('c3', { events: [proposal('c3', 'odd')] }),
  outcome('c4', { events: [proposal('p4', 'pending'), proposal('p5', 'rejected')] }),
  outcome('c"5'),
  { kind: 'of_a_later_release' },
]

let count = 0
const fresh = (): SessionRef => ({
  tenant: tenantId(`t${++count}`),
  session: sessionId(`sess_${count}`),
})

/** Stores commits of entries in a session, the first of which creates it. */
async function journal(
  ref: SessionRef,
  commits: readonly (readonly JournalEntry[])[],
): Promise<void> {
  for (const entries of commits) {
    const key = `k${++count}`
    const accepted = value(
      await store.accept(
        {
          ...{ ...ref, key, body: '{}', control: false, owner: instanceId('one') },
          leaseMs: MINUTE,
          create: { principal: 'ann', title: '', meta: '{}' },
        },
        signal,
      ),
    )
    const { sessionRecord } = accepted
    if (!sessionRecord) throw new Error('no session')
    const committed = value(
      await store.commit(
        {
          ...{ ...ref, key: `c${++count}`, state: '{"v":1,"kind":"idle"}' },
          fencingToken: sessionRecord.fencingToken,
          base: sessionRecord.head,
          entries: entries.map((one) => ({ body: JSON.stringify(one) })),
          acknowledged: { messages: [key], controls: [] },
          erase: [],
          end: 'end',
          leaseMs: MINUTE,
          progress: true,
          add: { messages: 1, input: 0, output: 0 },
        },
        signal,
      ),
    )
    expect(committed).toMatchObject({ verdict: 'ok' })
  }
}

const write = async (ref: SessionRef, drafts: readonly AuditDraft[]): Promise<unknown> =>
  value(await new DatabaseChains(database).append(ref.tenant, drafts, signal))

/** Sessions that are found, of these tenants alone: all tests share a database. */
async function found(...refs: readonly SessionRef[]): Promise<readonly string[]> {
  const rows = value(
    await runQuery(database, unwrittenOf(relations)({ now, lookBack: 10 * MINUTE }), signal),
  )
  const tenants = new Set<string>(refs.map(({ tenant }) => tenant))
  return rows.filter(({ tenant }) => tenants.has(tenant)).map(({ session }) => session)
}

/** Sets the time of a session's last change. */
const used = async (ref: SessionRef, at: number): Promise<unknown> =>
  value(
    await runQuery(
      database,
      sql`update sessions_lane set updated_at = timestamptz 'epoch' + ${at}::bigint * interval '1 ms' where tenant = ${ref.tenant}`,
      signal,
    ),
  )

/** Sets the times of the last change of all sessions back. */
const allUsed = async (ago: string): Promise<void> => {
  const rows = await runQuery(
    database,
    sql<{
      lane: number
    }>`update sessions_lane set updated_at = updated_at - ${ago}::interval returning lane`,
    signal,
  )
  expect(value(rows).length).toBeGreaterThan(0)
}

const run = (name: string, at: number): readonly JournalEntry[] => [
  entry(message as Fields<JournalEntry>, at, runId(name)),
  entry(outcome(`call_${name}`) as Fields<JournalEntry>, at, runId(name)),
  entry(ended as Fields<JournalEntry>, at, runId(name)),
]

describe('lines that are missing', () => {
  test('are found one by one, whatever entry they are of', async () => {
    const entries = EVERY_LINE.map((fields) => entry(fields as Fields<JournalEntry>, now))
    const { length } = draftsOfJournal(entries, fresh())
    expect(length).toBe(13)
    const refs = Array.from({ length }, fresh)
    const complete = fresh()
    for (const [n, ref] of [...refs, complete].entries()) {
      await journal(ref, [entries.slice(0, 5), entries.slice(5)])
      await write(
        ref,
        draftsOfJournal(entries, ref).filter((_, index) => index !== n),
      )
    }
    expect((await found(...refs, complete)).toSorted()).toEqual(
      refs.map(({ session }) => session).toSorted(),
    )
  })

  test.each(ODD)('may be those of an entry that the database cannot tell: %o', async (fields) => {
    const ref = fresh()
    await journal(ref, [[entry(fields as Fields<JournalEntry>, now)]])
    expect(await found(ref)).toEqual([ref.session])
  })

  test('are found before newer ones, which another process wrote', async () => {
    const ref = fresh()
    const [first, second] = [run('run_a', now), run('run_b', now)]
    await journal(ref, [first, second])
    await write(ref, draftsOfJournal([...first.slice(0, 2), ...second], ref))
    expect(await found(ref)).toEqual([ref.session])
  })

  test('are found in the last commit before those of the last minutes, and no further back', async () => {
    const [before, further] = [fresh(), fresh()]
    const old = run('run_a', now - 60 * MINUTE)
    const middle = run('run_b', now - 50 * MINUTE)
    const recent = run('run_c', now)
    await journal(before, [old, recent])
    await write(before, draftsOfJournal([...old.slice(0, 2), ...recent], before))
    await journal(further, [old, middle, recent])
    await write(further, draftsOfJournal([...old.slice(0, 2), ...middle, ...recent], further))
    expect(await found(before, further)).toEqual([before.session])
  })

  test('are not looked for in sessions that nobody used in the last minutes', async () => {
    const ref = fresh()
    await journal(ref, [run('run_a', now - 30 * MINUTE)])
    expect(await found(ref)).toEqual([ref.session])
    await used(ref, now - 30 * MINUTE)
    expect(await found(ref)).toEqual([])
  })

  test('of a fork are those of its own entries', async () => {
    const ref = fresh()
    const parent = run('run_a', now)
    await journal(ref, [parent])
    await write(ref, draftsOfJournal(parent, ref))
    const child = { ...ref, session: sessionId(`${ref.session}_fork`) }
    const seed = { principal: 'ann', title: '', meta: '{}' }
    value(await store.fork(ref, child.session, 3, seed, signal))
    expect(await found(ref)).toEqual([])
    const own = run('run_b', now)
    await journal(child, [own])
    expect(await found(ref)).toEqual([child.session])
    await write(
      child,
      own.flatMap((one) => draftsOf(one, child)),
    )
    expect(await found(ref)).toEqual([])
  })

  test('are not passed over for an entry that is no JSON, or of another form', async () => {
    const ref = fresh()
    await journal(ref, [run('run_a', now)])
    await write(ref, draftsOfJournal(run('run_a', now), ref))
    expect(await found(ref)).toEqual([])
    value(
      await runQuery(
        database,
        sql`update sessions_journal set body = 'broken' || chr(30) || body where lane = (select lane from sessions_lane where tenant = ${ref.tenant})`,
        signal,
      ),
    )
    expect(await found(ref)).toEqual([ref.session])
  })
})

describe('catching up', () => {
  test('costs one statement, and two more for what is missing', async () => {
    await allUsed('1 day') // sessions of the tests before
    const refs = Array.from({ length: 30 }, fresh)
    for (const ref of refs) {
      await journal(ref, [run('run_a', now)])
      await write(ref, draftsOfJournal(run('run_a', now), ref))
    }
    const statements: string[] = []
    const watched: Database = {
      ...{ dialect: database.dialect, exclusive: database.exclusive },
      run: (statement: Statement, aborts) => {
        statements.push(statement.sql)
        return database.run(statement, aborts)
      },
      transaction: (work, aborts) => database.transaction(work, aborts),
      listen: (channel, listener) => database.listen(channel, listener),
      notify: (channel, payload, aborts) => database.notify(channel, payload, aborts),
      ready: () => database.ready(),
    }
    const chains = new DatabaseChains(watched)
    const trail = new Trail(chains, silentLogger, () => undefined)
    const parts = { store: chains, sessions: store, database: watched, relations, trail }
    const settle = async (): Promise<void> => {
      await catchUp({ ...parts, log: silentLogger }, now, signal)
      await trail.flush()
    }
    await settle()
    const search = statements.length
    const [ref = fresh()] = refs
    await journal(ref, [run('run_b', now)])
    statements.length = 0
    await settle()
    trail.close()
    expect(await found(ref)).toEqual([])
    const entries = value(readEntries(value(await store.entries(ref, { after: 0 }, signal))))
    const lines = value(await chains.read(ref.tenant, { limit: 100 }, signal))
    expect(lines.map(({ key }) => key)).toEqual(draftsOfJournal(entries, ref).map(({ key }) => key))
    expect(search).toBe(1)
  })

  test('goes by the last change of any session, however long ago that is', async () => {
    await allUsed('3 hours')
    const ref = fresh()
    const old = run('run_a', now - 3 * 60 * MINUTE)
    await journal(ref, [old])
    await used(ref, now - 3 * 60 * MINUTE)
    expect(await found(ref)).toEqual([ref.session])
  })

  test('reads no journal and no log from end to end', async () => {
    const { sql: text, parameters } = unwrittenOf(relations)({ now, lookBack: 10 * MINUTE })
    const plan = await database.transaction(async (run) => {
      // Tables are small here: without an index that fits, it would be read whole even so.
      await run({ sql: 'set local enable_seqscan = off', parameters: [] })
      return run({ sql: `explain ${text}`, parameters })
    }, signal)
    const lines = value(plan).map((row) => String(row['QUERY PLAN']))
    expect(lines.filter((line) => /Seq Scan on (?:sessions|audit)_/.test(line))).toEqual([])
    expect(lines.join('\n')).toMatch(
      /audit_line_session on audit_line l .*\n *Index Cond: \(\(tenant = .* AND \(session = .* AND \(key = /,
    )
  })
})
