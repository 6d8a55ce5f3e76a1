import {
  err,
  failure,
  sessionId,
  tenantId,
  type Database,
  type Failure,
  type SessionRef,
  type SessionStore,
} from '@amodal/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACCEPT } from '../src/accept.ts'
import { COMMIT } from '../src/commit.ts'
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
const COMMIT_TEXT = COMMIT({ commits: '', acknowledged: '', erase: '', notifications: [] }).sql
const ACCEPT_AND_COMMIT = [ACCEPT_TEXT, COMMIT_TEXT]

const broke = (): Failure =>
  failure('STORE_FAILED', 'the connection broke', { details: { connection: true } })

describe('statements', () => {
  it('are two for a turn of text: the message, and all that came of it', async () => {
    const item = message(newSession())
    const { sessionRecord } = value(await store.accept(item, signal))
    value(
      await store.commit(
        commit(sessionRecord!, {
          entries: [{ body: 'asked' }, { body: 'replied' }, { body: 'ended' }],
          acknowledged: { messages: [item.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('are two as well where other instances are notified', async () => {
    const telling = another(database, { notifyInstances: true })
    const [one] = await claimed(telling, 1)
    value(await telling.commit(commit(one!.sessionRecord), signal))
    expect(between.statements).toEqual(ACCEPT_AND_COMMIT)
  })

  it('serve all sessions that come at once', async () => {
    const sessions = await claimed(store, 64)
    await Promise.all(
      sessions.map(async ({ sessionRecord }) =>
        value(await store.commit(commit(sessionRecord), signal)),
      ),
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
    const first = store.commit(commit(sessions[0]!.sessionRecord), signal)
    await begun.promise
    await Promise.all([
      first,
      ...sessions
        .slice(1)
        .map(async ({ sessionRecord }) => value(await store.commit(commit(sessionRecord), signal))),
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
      sessions.map(async ({ sessionRecord }) =>
        value(await store.commit(commit(sessionRecord, { entries: [{ body: large }] }), signal)),
      ),
    )
    expect(between.statements).toHaveLength(2)
  })
})

describe('a connection that breaks', () => {
  it('leaves every commit of the batch in doubt, and repeating them with their keys writes once', async () => {
    const sessions = await claimed(store, 3)
    const commits = sessions.map(({ sessionRecord, key }) =>
      commit(sessionRecord, { acknowledged: { messages: [key], controls: [] } }),
    )
    between.act = async (statement, run) => {
      await run(statement) // executed, and the answer is lost
      return err(broke())
    }
    for (const result of await Promise.all(commits.map((one) => store.commit(one, signal)))) {
      expect(result).toMatchObject({
        ok: false,
        error: { code: 'STORE_FAILED', details: { connection: true } },
      })
    }
    between.act = (statement, run) => run(statement)
    for (const one of commits) {
      expect(value(await store.commit(one, signal))).toEqual({
        verdict: 'ok',
        stillOwned: true,
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
    expect(await store.commit(commit(one!.sessionRecord), signal)).toMatchObject({
      ok: false,
      error: { details: { connection: true } },
    })
  })

  it('is nothing like a statement that the database refuses', async () => {
    const [one] = await claimed(store, 1)
    between.act = async () =>
      err(failure('STORE_FAILED', 'no such table', { details: { sqlstate: '42P01' } }))
    const result = await store.commit(commit(one!.sessionRecord), signal)
    expect(result.ok ? undefined : result.error.details).toEqual({ sqlstate: '42P01' })
  })

  it('tries each by itself after a deadlock', async () => {
    const sessions = await claimed(store, 3)
    let tries = 0
    between.act = async (statement, run) =>
      ++tries === 1
        ? err(failure('STORE_FAILED', 'deadlock', { details: { sqlstate: '40P01' } }))
        : run(statement)
    for (const result of await Promise.all(
      sessions.map(({ sessionRecord }) => store.commit(commit(sessionRecord), signal)),
    ))
      expect(result).toMatchObject({ ok: true, value: { verdict: 'ok' } })
    expect(tries).toBe(4)
  })
})

describe('a caller who leaves', () => {
  it('does not keep the session it claimed', async () => {
    const ref = newSession()
    const stop = new AbortController()
    between.act = async (statement, run) => {
      const done = await run(statement)
      stop.abort(new Error('the client has disconnected'))
      return done
    }
    expect(await store.accept(message(ref), stop.signal)).toMatchObject({
      ok: false,
      error: { details: { connection: true } },
    })
    between.act = (statement, run) => run(statement)
    const how = { marginMs: 60_000, leaseMs: 1_000, limit: 10, maxSuspects: 0, trial: false }
    // The next instance can acquire it, although the lease it was claimed with would last.
    await expect
      .poll(async () => value(await store.takeover(HERE, how, signal)).sessions)
      .toMatchObject([{ ...ref, fencingToken: 2, messages: 1 }])
  })
})

describe('news', () => {
  it('reach other instances of every session in a large batch', async () => {
    const telling = another(database, { notifyInstances: true })
    const peer = another(database, { notifyInstances: true })
    const notified = new Set<string>()
    const end = peer.watch(({ session }) => notified.add(session))
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
      sessions.map(async ({ sessionRecord }) =>
        value(await telling.commit(commit(sessionRecord), signal)),
      ),
    )
    await expect.poll(() => notified.size).toBe(64)
    expect(own).toEqual([])
    end()
    endOwn()
    peer.close()
  })

  it('are not sent where this process is alone', async () => {
    const payloads: string[] = []
    database.listen('sessions', (payload) => payloads.push(payload))
    const [one] = await claimed(store, 1)
    value(await store.commit(commit(one!.sessionRecord), signal))
    value(
      await store.accept(message(one!.sessionRecord, { owner: one!.sessionRecord.owner! }), signal),
    )
    await database.notify('sessions', 'last', signal)
    await expect.poll(() => payloads).toEqual(['last'])
  })
})
