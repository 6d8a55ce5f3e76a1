import { instanceId, tenantId, sleep } from '@amodal/kernel'
import type {
  SessionRecord,
  SessionStore,
  AcquiredSession,
  Takeover,
} from '../../ports/session-store.ts'
import { expect, it } from 'vitest'
import {
  claimed,
  commit,
  control,
  HERE,
  sessionRecordOf,
  LEASE,
  message,
  newSession,
  signal,
  THERE,
  value,
  written,
} from './subject.ts'

const how = (more: Partial<Takeover> = {}): Takeover => ({
  marginMs: 0,
  leaseMs: LEASE,
  limit: 10_000,
  maxSuspects: 10_000,
  trial: false,
  ...more,
})
const why = { code: 'RUN_SET_ASIDE', message: 'it stopped its server', crashes: 3, at: 0 } as const

/** What is remembered of owners that are lost, and whom it strikes. */
export function crashTests(store: () => SessionStore, peer: () => SessionStore): void {
  /** A session whose owner was lost. */
  const lost = async (): Promise<SessionRecord> =>
    (await claimed(store(), newSession(), HERE, 1)).sessionRecord

  /** Other tests leave sessions behind: whatever can be taken is taken and released. */
  async function clear(): Promise<void> {
    for (let remaining = 1; remaining > 0;) {
      const { sessions, suspectsFound } = value(
        await peer().takeover(instanceId('sweeper'), how({ marginMs: -1, trial: true }), signal),
      )
      for (const sessionRecord of sessions) value(await peer().setAside(sessionRecord, why, signal))
      remaining = sessions.length + suspectsFound
    }
  }

  async function take(
    more: Partial<Takeover> = {},
    owner = THERE,
  ): Promise<readonly AcquiredSession[]> {
    await sleep(5) // leases of 1 ms
    return value(await peer().takeover(owner, how(more), signal)).sessions
  }

  it('counts an owner that is lost, also before the first commit, and forgets it with progress', async () => {
    await clear()
    const sessionRecord = await lost()
    const [acquired] = await take({ leaseMs: 1 })
    expect(acquired).toMatchObject({
      session: sessionRecord.session,
      crashes: 1,
      suspect: true,
      trial: false,
      convicted: false,
    })
    if (!acquired) return
    written(await peer().commit(commit(acquired, ['recovered'], { progress: false }), signal))
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({ crashes: 1 })
    written(await peer().commit(commit({ ...acquired, head: 1 }, ['an outcome']), signal))
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({ crashes: 0 })
  })

  it('counts nothing where the owner returned it, or takes its own again', async () => {
    await clear()
    const sessionRecord = await lost()
    value(await store().renew(HERE, [sessionRecord], 0, signal))
    expect(await take()).toMatchObject([
      { session: sessionRecord.session, crashes: 0, suspect: false },
    ])
    const mine = await lost()
    expect(await take({}, HERE)).toMatchObject([
      { session: mine.session, crashes: 0, suspect: false },
    ])
  })

  it('takes no more suspects than asked for, and says how many there are', async () => {
    await clear()
    for (let n = 0; n < 5; n++) await lost()
    await sleep(5)
    const first = value(await peer().takeover(THERE, how({ maxSuspects: 2 }), signal))
    expect([first.sessions.length, first.suspectsFound]).toEqual([2, 5])
    const none = value(await peer().takeover(THERE, how({ maxSuspects: 0 }), signal))
    expect([none.sessions.length, none.suspectsFound]).toEqual([0, 3])
  })

  it('takes those that were lost again one by one, on trial; one that is lost on trial is convicted', async () => {
    await clear()
    const owners = ['a', 'b', 'c', 'd', 'e'].map((name) => instanceId(name))
    const [first, second] = [await lost(), await lost()]
    expect(await take({ leaseMs: 1 }, owners[0])).toHaveLength(2)
    expect(await take({ leaseMs: 1 }, owners[1])).toEqual([])
    const [one, ...none] = await take({ leaseMs: 1, trial: true }, owners[1])
    expect(none).toEqual([])
    expect(one).toMatchObject({ crashes: 2, trial: true, convicted: false })
    // Its owner is lost: every later takeover reports `convicted`, whether it allows a trial or
    // not, until the session is set aside.
    for (const owner of owners.slice(2, 4))
      expect(await take({ leaseMs: 1 }, owner)).toMatchObject([
        { session: one?.session, trial: true, convicted: true },
      ])
    const [other] = (await take({ trial: true }, owners[4])).filter(
      ({ session }) => session !== one?.session,
    )
    expect([first.session, second.session]).toContain(other?.session)
    expect(other).toMatchObject({ crashes: 2, trial: true, convicted: false })
  })

  it('keeps crashes of one that is acquitted, as many as it is told', async () => {
    await clear()
    await lost()
    await take({ leaseMs: 1 }, instanceId('a'))
    const [tried] = await take({ leaseMs: 1, trial: true }, instanceId('b'))
    if (!tried) throw new Error('nothing to try')
    value(await peer().endTrial(tried, 2, signal))
    expect(await take({ trial: true }, instanceId('c'))).toMatchObject([
      { crashes: 3, trial: true, convicted: false },
    ])
  })

  it('gives a session that is set aside to nobody but whoever resumes it', async () => {
    await clear()
    const sessionRecord = await lost()
    const [acquired] = await take()
    if (!acquired) throw new Error('nothing to take')
    expect(value(await peer().setAside({ ...acquired, fencingToken: 1 }, why, signal))).toBe(false)
    expect(value(await peer().setAside(acquired, why, signal))).toBe(true)
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      owner: undefined,
      messages: 1,
    })
    expect(JSON.parse((await sessionRecordOf(store(), sessionRecord)).setAside ?? '')).toEqual(why)
    expect(await take({ marginMs: -1, trial: true })).toEqual([])
    for (const item of [message(sessionRecord), control(sessionRecord)])
      expect(value(await store().accept(item, signal))).toMatchObject({
        isNew: true,
        claimed: false,
      })
    expect(value(await store().remove(sessionRecord, signal))).toBe(false)
    expect(
      value(await store().troubled(sessionRecord.tenant, undefined, 10_000, signal)).map(
        ({ session }) => session,
      ),
    ).toContain(sessionRecord.session)
    expect(value(await store().troubled(tenantId('other'), undefined, 10, signal))).toEqual([])
    const resumed = value(await store().accept(control(sessionRecord, { resumes: true }), signal))
    expect(resumed).toMatchObject({
      claimed: true,
      sessionRecord: { owner: HERE, crashes: 0, messages: 2, controls: 2 },
    })
    expect(resumed.sessionRecord?.setAside).toBeUndefined()
  })

  it('leaves an item unclaimed where that is asked for, to be found by the next look', async () => {
    await clear()
    const ref = newSession()
    const result = value(await store().accept(message(ref, { mayClaim: false }), signal))
    expect(result).toMatchObject({
      isNew: true,
      claimed: false,
      sessionRecord: { owner: undefined, messages: 1 },
    })
    expect(await take()).toMatchObject([{ session: ref.session, suspect: false, crashes: 0 }])
  })

  it('counts effects of unknown outcome until they are settled', async () => {
    const { sessionRecord } = await claimed(store())
    written(
      await store().commit(
        commit(sessionRecord, ['unknown'], {
          add: { messages: 0, input: 0, output: 0, unknown: 2 },
        }),
        signal,
      ),
    )
    const troubled = async () =>
      value(await store().troubled(sessionRecord.tenant, undefined, 10_000, signal)).find(
        ({ session }) => session === sessionRecord.session,
      )
    expect(await troubled()).toMatchObject({ unknownEffects: 2 })
    written(
      await store().commit(
        commit({ ...sessionRecord, head: 1 }, ['settled'], {
          add: { messages: 0, input: 0, output: 0, unknown: -2 },
        }),
        signal,
      ),
    )
    expect(await troubled()).toBeUndefined()
  })
}
