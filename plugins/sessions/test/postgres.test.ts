import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import { Database, explain, Kernel, SessionStore, unwrap, use } from '@amodal/sdk'
import { IDLE } from '@amodal/sdk/loop'
import { sessionStoreContract, sweepSessions } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { sessions } from '../src/index.ts'
import { FORK, LOCK_UNCLAIMED, REMOVE } from '../src/session-row.ts'
import { another, claimed, commit, newSession, signal, value } from './support.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const instance = async (url: string): Promise<Kernel> =>
  unwrap(
    await Kernel.create([use(secretsEnv), use(dbPostgres, { url, max: 4 }), use(sessions)]),
    explain,
  )

// Two kernels on one database, as two instances behind a load balancer.
sessionStoreContract('sessions on db-postgres', {
  make: async () => {
    const url = await postgres.createDatabase()
    const [here, there] = [await instance(url), await instance(url)]
    return {
      store: here.scope.get(SessionStore),
      peer: there.scope.get(SessionStore),
      close: async () => {
        await Promise.all([here.close(), there.close()])
      },
    }
  },
})

describe('several batches on their way at once', () => {
  it('write each session in its order', async () => {
    const kernel = await instance(await postgres.createDatabase())
    const store = another(kernel.scope.get(Database), { flights: 3 })
    const sessions = await claimed(store, 30)
    await Promise.all(
      sessions.map(async ({ sessionRecord }, at) => {
        await new Promise((resolve) => setTimeout(resolve, at % 5))
        for (let head = 0; head < 10; head++)
          expect(
            value(await store.commit(commit({ ...sessionRecord, head }), signal)),
          ).toMatchObject({
            verdict: 'ok',
          })
      }),
    )
    for (const { sessionRecord } of sessions)
      expect(value(await store.sessionRecord(sessionRecord, signal))).toMatchObject({ head: 10 })
    await kernel.close()
  })
})

describe('a fork and a removal at once', () => {
  const CREATE = { principal: 'bob', title: '', meta: '{}' }

  /** A session without an owner, in a database of its own. */
  const unclaimed = async () => {
    const kernel = await instance(await postgres.createDatabase())
    const database = kernel.scope.get(Database)
    const store = kernel.scope.get(SessionStore)
    const [one] = await claimed(store, 1)
    value(
      await store.commit(
        commit(one!.sessionRecord, {
          acknowledged: { messages: [one!.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
    return { kernel, database, store, ref: one!.sessionRecord }
  }

  /** Does `work` in a transaction that stays open for a while, and `meanwhile` concurrently. */
  const whileOpen = async <T>(
    database: Database,
    work: (run: Parameters<Parameters<Database['transaction']>[0]>[0]) => Promise<unknown>,
    meanwhile: () => Promise<T>,
  ): Promise<T> => {
    let other: Promise<T> | undefined
    value(
      await database.transaction(async (run) => {
        await work(run)
        other = meanwhile()
        // It waits for the lock, or it is wrong by now.
        await new Promise((resolve) => setTimeout(resolve, 100))
      }, signal),
    )
    return other ?? meanwhile()
  }

  it('keep the entries when the fork is first', async () => {
    const { kernel, database, store, ref } = await unclaimed()
    const child = newSession()
    const fork = FORK({
      ...ref,
      child: child.session,
      at: 1,
      principal: 'bob',
      title: '',
      meta: '{}',
      state: JSON.stringify(IDLE),
      kind: undefined,
    })
    expect(
      value(
        await whileOpen(
          database,
          (run) => run(fork),
          () => store.remove(ref, signal),
        ),
      ),
    ).toBe(false)
    expect(value(await store.entries(child, { after: 0 }, signal))).toEqual([{ seq: 1, body: 'a' }])
    await kernel.close()
  })

  it('make no fork when the removal is first', async () => {
    const { kernel, database, store, ref } = await unclaimed()
    const remove = [LOCK_UNCLAIMED(ref), REMOVE(ref)]
    const forked = await whileOpen(
      database,
      async (run) => {
        for (const statement of remove) await run(statement)
      },
      () => store.fork(ref, newSession().session, 1, CREATE, signal),
    )
    expect(value(forked)).toBe(false)
    await kernel.close()
  })

  it('keep the entries of a fork from expiry', async () => {
    const { kernel, database, store, ref } = await unclaimed()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await sweepSessions(store, 1, 10)).idle).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const child = newSession()
    const fork = FORK({
      ...ref,
      child: child.session,
      at: 1,
      principal: 'bob',
      title: '',
      meta: '{}',
      state: JSON.stringify(IDLE),
      kind: undefined,
    })
    expect(
      (
        await whileOpen(
          database,
          (run) => run(fork),
          () => sweepSessions(store, 1, 10),
        )
      ).expired,
    ).toEqual([])
    expect(value(await store.entries(child, { after: 0 }, signal))).toEqual([{ seq: 1, body: 'a' }])
    await kernel.close()
  })
})
