import { sleep } from '@amodal/kernel'
import type { Result, Failure, SessionRef } from '@amodal/kernel'
import { keepAll } from '../../ports/retention.ts'
import type { SessionStore, Takeover } from '../../ports/session-store.ts'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  control,
  finished,
  HERE,
  sessionRecordOf,
  LEASE,
  message,
  newSession,
  parked,
  signal,
  THERE,
  value,
  written,
} from './subject.ts'

const RACES = 300

const every = (marginMs: number): Takeover => ({
  marginMs,
  leaseMs: LEASE,
  limit: 10_000,
  maxSuspects: 10_000,
  trial: false,
})

export function raceTests(store: () => SessionStore, peer: () => SessionStore): void {
  it('loses no wake-up between a message that arrives and a turn that ends', async () => {
    let { sessionRecord, key } = await claimed(store())
    let owner = store()
    const order = { ended: 0, waited: 0 }
    for (let race = 0; race < RACES; race++) {
      const next = message(sessionRecord, { owner: THERE })
      const end = commit(sessionRecord, [`${race}`], {
        acknowledged: { messages: [key], controls: [] },
        end: 'end',
      })
      const other = owner === store() ? peer() : store()
      const early = race % 2 === 0 ? other.accept(next, signal) : undefined
      const ending = owner.commit(end, signal)
      const accepting = early ?? other.accept(next, signal)
      const [result, accepted] = [written(await ending), value(await accepting)]
      // Exactly one of the two sees to it.
      expect([result.released, accepted.claimed]).toEqual(
        result.messages === 1 ? [false, false] : [true, true],
      )
      order[accepted.claimed ? 'ended' : 'waited']++
      owner = accepted.claimed ? other : owner
      sessionRecord =
        accepted.claimed && accepted.sessionRecord
          ? accepted.sessionRecord
          : { ...sessionRecord, head: sessionRecord.head + 1 }
      key = next.key
    }
    expect(await bodiesOf(store(), sessionRecord)).toEqual(
      Array.from({ length: RACES }, (_, race) => `${race}`),
    )
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      messages: 1,
      controls: 0,
      head: RACES,
    })
    expect(order.ended).toBeGreaterThan(0)
  })

  it('lets one of several claim an idle session', async () => {
    for (let race = 0; race < 20; race++) {
      const ref = race % 2 === 0 ? newSession() : await parked(store())
      const make = race % 2 === 0 ? message : control
      const accepted = await Promise.all(
        [0, 1, 2, 3].map((at) =>
          (at % 2 === 0 ? store() : peer()).accept(
            make(ref, { owner: at % 2 === 0 ? HERE : THERE }),
            signal,
          ),
        ),
      )
      expect(accepted.filter((one) => value(one).claimed)).toHaveLength(1)
      expect(value(await store().inbox(ref, signal))).toHaveLength(4)
    }
  })

  it('writes a commit once when its repetition races the first try', async () => {
    for (let race = 0; race < 30; race++) {
      const { sessionRecord, key } = await claimed(store())
      const once = commit(sessionRecord, ['a', 'b'], {
        acknowledged: { messages: [key], controls: [] },
        end: 'end',
        add: { messages: 1, input: 1, output: 1 },
      })
      const result = await Promise.all([
        store().commit(once, signal),
        peer().commit(once, signal),
        store().commit(once, signal),
      ])
      for (const one of result) expect(written(one)).toMatchObject({ messages: 0, released: true })
      expect(await bodiesOf(store(), sessionRecord)).toEqual(['a', 'b'])
      expect(value(await store().row(sessionRecord, signal))).toMatchObject({
        messageCount: 1,
        head: 2,
      })
    }
  })

  it('accepts a message once when its repetition races the first try', async () => {
    for (let race = 0; race < 30; race++) {
      const ref = newSession()
      const item = message(ref)
      const result = await Promise.all([
        store().accept(item, signal),
        peer().accept({ ...item, owner: THERE }, signal),
        store().accept(item, signal),
      ])
      const accepted = result.map(value)
      expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(accepted.filter(({ claimed: c }) => c)).toHaveLength(1)
      for (const { sessionRecord } of accepted)
        expect(sessionRecord).toMatchObject({ ...ref, fencingToken: 1, messages: 1 })
    }
  })

  it('lets either a takeover or a commit come first, never half of each', async () => {
    for (let race = 0; race < 20; race++) {
      const { sessionRecord, key } = await claimed(store(), newSession(), HERE, 1)
      await sleep(3)
      const last = commit(sessionRecord, ['a'], {
        acknowledged: { messages: [key], controls: [] },
        end: 'end',
      })
      const [result, acquired] = await Promise.all([
        store().commit(last, signal),
        peer().takeover(THERE, every(0), signal),
      ])
      const theirs = value(acquired).sessions.find(
        ({ session }) => session === sessionRecord.session,
      )
      const now = await sessionRecordOf(store(), sessionRecord)
      if (value(result).verdict === 'ok')
        expect([theirs, now]).toMatchObject([undefined, { owner: undefined, head: 1, messages: 0 }])
      else
        expect([theirs, now]).toMatchObject([
          { head: 0, messages: 1 },
          { owner: THERE, head: 0, messages: 1 },
        ])
    }
  })

  it('lets nobody wait in a circle when many sessions are served in any order', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 24 }, async () => (await claimed(store())).sessionRecord),
    )
    const backwards = sessions.toReversed()
    for (let round = 0; round < 10; round++) {
      const heads = new Map(sessions.map(({ session }) => [session, round]))
      const commits = (round % 2 === 0 ? sessions : backwards).map((sessionRecord) =>
        commit({ ...sessionRecord, head: heads.get(sessionRecord.session) ?? 0 }, ['a']),
      )
      const all: readonly Promise<Result<unknown, Failure>>[] = [
        ...commits.map((one) => store().commit(one, signal)),
        ...(round % 2 === 0 ? backwards : sessions).map((sessionRecord) =>
          peer().accept(message(sessionRecord, { owner: THERE }), signal),
        ),
        store().renew(HERE, sessions, LEASE, signal),
        peer().renew(HERE, backwards, LEASE, signal),
        peer().takeover(THERE, every(60_000), signal),
      ]
      for (const result of await Promise.all(all)) expect(result).toMatchObject({ ok: true })
    }
    for (const sessionRecord of sessions)
      expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
        head: 10,
        messages: 11,
        owner: HERE,
      })
  })

  it('removes no history under a fork that is being made', async () => {
    for (let race = 0; race < 60; race++) {
      const parent = await finished(store(), ['1', '2'])
      const child = newSession()
      const early = race % 2 === 0 ? store().remove(parent, signal) : undefined
      const forking = peer().fork(
        parent,
        child.session,
        2,
        { principal: 'bob', title: '', meta: '{}' },
        signal,
      )
      const removing = early ?? store().remove(parent, signal)
      const [forked, removed] = [value(await forking), value(await removing)]
      expect(forked).not.toBe(removed)
      if (forked) expect(await bodiesOf(store(), child)).toEqual(['1', '2'])
    }
  })

  it('answers an aborted call with a value', async () => {
    const aborted = AbortSignal.abort(new Error('the client has left'))
    const sessionRecord = await finished(store(), ['a'])
    const calls: readonly Promise<Result<unknown, Failure>>[] = [
      store().accept(message(sessionRecord), aborted),
      store().commit(commit(sessionRecord, ['b']), aborted),
      store().sessionRecord(sessionRecord, aborted),
      store().entries(sessionRecord, { after: 0 }, aborted),
      store().inbox(sessionRecord, aborted),
      store().renew(HERE, [sessionRecord], 1, aborted),
      store().takeover(HERE, every(0), aborted),
      store().endTrial(sessionRecord, 0, aborted),
      store().setAside(
        sessionRecord,
        { code: 'RUN_SET_ASIDE', message: '', crashes: 1, at: 0 },
        aborted,
      ),
      store().troubled(sessionRecord.tenant, undefined, 1, aborted),
      store().list(sessionRecord.tenant, { limit: 1 }, aborted),
      store().row(sessionRecord, aborted),
      store().update(sessionRecord, { title: 'x' }, aborted),
      store().remove(sessionRecord, aborted),
      store().fork(
        sessionRecord,
        newSession().session,
        1,
        { principal: 'bob', title: '', meta: '' },
        aborted,
      ),
      store().idle(keepAll(60_000), 1, aborted),
      store().overdue(keepAll(60_000), 1, aborted),
      store().expire([{ ...sessionRecord, head: 1 }], aborted),
    ]
    for (const result of await Promise.all(calls))
      expect(result).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } })
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      owner: undefined,
      messages: 0,
      head: 1,
    })
  })

  it('lets a caller go who stops waiting, and answers the repetition', async () => {
    const { sessionRecord, key } = await claimed(store())
    const stop = new AbortController()
    const once = commit(sessionRecord, ['a'], { acknowledged: { messages: [key], controls: [] } })
    const pending = store().commit(once, stop.signal)
    stop.abort(new Error('too late'))
    const result = await pending
    // In doubt: the caller may repeat it, and must.
    if (!result.ok)
      expect(result.error).toMatchObject({ code: 'STORE_FAILED', details: { connection: true } })
    expect(written(await store().commit(once, signal))).toMatchObject({
      stillOwned: true,
      messages: 0,
    })
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['a'])
  })

  it('tells the others of what changed', async () => {
    const notified: SessionRef[] = []
    const end = peer().watch((ref) => notified.push(ref))
    const ended: SessionRef[] = []
    peer().watch((ref) => ended.push(ref))()
    try {
      const { sessionRecord, key } = await claimed(store())
      const seen = (): boolean => notified.some(({ session }) => session === sessionRecord.session)
      // Listening takes a moment to begin, so the session is changed until a notification arrives.
      for (let head = 0; head < 100 && !seen(); head++) {
        written(
          await store().commit(
            commit({ ...sessionRecord, head }, ['a'], {
              acknowledged: { messages: [key], controls: [] },
            }),
            signal,
          ),
        )
        await sleep(20)
      }
      expect(notified).toContainEqual({
        tenant: sessionRecord.tenant,
        session: sessionRecord.session,
      })
      expect(ended).toEqual([])

      // The owner of a session is notified of a control that another instance accepted.
      notified.length = 0
      const theirs = await claimed(peer(), newSession(), THERE)
      notified.length = 0
      value(await store().accept(control(theirs.sessionRecord), signal))
      await expect
        .poll(() => notified, { timeout: 2_000 })
        .toContainEqual({
          tenant: theirs.sessionRecord.tenant,
          session: theirs.sessionRecord.session,
        })
    } finally {
      end()
    }
  })
}
