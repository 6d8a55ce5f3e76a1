import { tenantId, type CommitVerdict, type SharedChange } from '@amodal/kernel'
import { ANY_SESSION, type SessionRecord, type SessionStore } from '../../ports/session-store.ts'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  message,
  newSession,
  signal,
  TENANT,
  THERE,
  value,
} from './subject.ts'

/** ms for which a notification is waited for before another change is made. */
const AGAIN_MS = 1_000
const later = (ms: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(false), ms)
  })

export function sharedTests(store: () => SessionStore, peer: () => SessionStore): void {
  const write = async (
    sessionRecord: SessionRecord,
    shared: readonly SharedChange[],
    key?: string,
  ): Promise<CommitVerdict> =>
    value(
      await store().commit(
        commit(sessionRecord, [JSON.stringify(shared)], {
          shared,
          ...(key !== undefined && { key }),
        }),
        signal,
      ),
    )
  const named = async (name: string) =>
    value(await peer().shared(TENANT, signal)).find((one) => one.name === name)

  it('are changed in the commit of a session, and seen by all of the tenant', async () => {
    const { sessionRecord } = await claimed(store())
    const verdict = await write(sessionRecord, [
      { name: 'one', base: 0, value: { a: [1, 'ü'] } },
      { name: 'two', base: 0, value: null },
    ])
    expect(verdict).toMatchObject({ verdict: 'ok', stillOwned: true })
    expect(await named('one')).toEqual({ name: 'one', version: 1, value: { a: [1, 'ü'] } })
    expect(await named('two')).toEqual({ name: 'two', version: 1, value: null })
    expect(value(await store().shared(tenantId('other'), signal))).toEqual([])
  })

  it('are changed all or none, and the journal with them', async () => {
    const { sessionRecord } = await claimed(store())
    await write(sessionRecord, [{ name: 'first', base: 0, value: 1 }])
    const next = { ...sessionRecord, head: 1 }
    const late = await write(next, [
      { name: 'second', base: 0, value: 2 },
      { name: 'first', base: 0, value: 2 },
    ])
    expect(late).toMatchObject({ verdict: 'conflict' })
    expect(late.verdict === 'conflict' && late.shared).toContainEqual({
      name: 'first',
      version: 1,
      value: 1,
    })
    expect(await named('second')).toBeUndefined()
    expect(await bodiesOf(store(), sessionRecord)).toHaveLength(1)
    expect(await write(next, [{ name: 'first', base: 1, value: 2 }])).toMatchObject({
      verdict: 'ok',
    })
    expect(await named('first')).toEqual({ name: 'first', version: 2, value: 2 })
  })

  it('are changed once by a commit that is repeated, and never by an owner that was', async () => {
    const { sessionRecord } = await claimed(store())
    const change = [{ name: 'once', base: 0, value: 'x' }]
    expect(await write(sessionRecord, change, 'key-1')).toMatchObject({ verdict: 'ok' })
    expect(await write(sessionRecord, change, 'key-1')).toMatchObject({ verdict: 'ok' })
    expect(await named('once')).toMatchObject({ version: 1 })
    const stale = { ...sessionRecord, head: 1, fencingToken: sessionRecord.fencingToken - 1 }
    expect(await write(stale, [{ name: 'once', base: 1, value: 'y' }])).toEqual({
      verdict: 'fenced',
    })
    expect(await named('once')).toMatchObject({ version: 1, value: 'x' })
  })

  it('lose nothing of sessions that change one at the same time', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => claimed(store())))
    await Promise.all(
      sessions.map(async ({ sessionRecord }, n) => {
        const own = n % 2 === 0 ? store() : peer()
        for (let head = 0, base = 0; head < 5;) {
          const shared = [{ name: 'contested', base, value: base + 1 }]
          const verdict = value(
            await own.commit(commit({ ...sessionRecord, head }, ['x'], { shared }), signal),
          )
          if (verdict.verdict === 'ok') head++
          base =
            verdict.verdict === 'conflict'
              ? (verdict.shared.find(({ name }) => name === 'contested')?.version ?? 0)
              : base + 1
        }
      }),
    )
    expect(await named('contested')).toEqual({ name: 'contested', version: 40, value: 40 })
  })

  it('are told of on other instances', async () => {
    const notification = Promise.withResolvers<void>()
    // A second owner, so that there is an instance to notify.
    value(await peer().accept(message(newSession(), { owner: THERE }), signal))
    const stop = peer().watch(({ tenant, session }) => {
      if (tenant === TENANT && session === ANY_SESSION) notification.resolve()
    })
    const { sessionRecord } = await claimed(store())
    // an instance that begins to listen may miss what happens meanwhile, and reads it in its turn
    const reached = notification.promise.then(() => true)
    for (let head = 0, isReached = false; !isReached; head++) {
      const base = (await named('told'))?.version ?? 0
      const verdict = await write({ ...sessionRecord, head }, [{ name: 'told', base, value: head }])
      expect(verdict).toMatchObject({ verdict: 'ok' })
      isReached = await Promise.race([reached, later(AGAIN_MS)])
    }
    stop()
  })
}
