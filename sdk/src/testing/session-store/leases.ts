import { sleep } from '@amodal/kernel'
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

const acknowledged = (...keys: readonly string[]) => ({ messages: keys, controls: [] })
const MANY = 10_000

export function leaseTests(store: () => SessionStore, peer: () => SessionStore): void {
  it('makes a session only where it is told to', async () => {
    const ref = newSession()
    const { create: _, ...item } = message(ref)
    expect(value(await store().accept(item, signal))).toEqual({ isNew: false, claimed: false })
    expect(value(await store().accept(control(ref), signal))).toEqual({
      isNew: false,
      claimed: false,
    })
    expect(value(await store().sessionRecord(ref, signal))).toBeUndefined()
    expect(value(await store().accept(message(ref), signal))).toMatchObject({
      isNew: true,
      claimed: true,
      sessionRecord: { ...ref, head: 0, fencingToken: 1, owner: HERE, messages: 1 },
    })
  })

  it('accepts a key once and shows what came with it first', async () => {
    const { sessionRecord, key } = await claimed(store())
    const retry = message(sessionRecord, { key, body: 'another', owner: THERE })
    expect(value(await peer().accept(retry, signal))).toMatchObject({
      isNew: false,
      claimed: false,
      earlier: '{"kind":"message","text":"hello"}',
      sessionRecord: { owner: HERE, fencingToken: 1, messages: 1 },
    })
    written(
      await store().commit(
        commit(sessionRecord, ['a'], { acknowledged: acknowledged(key), end: 'end' }),
        signal,
      ),
    )
    expect(value(await peer().accept(retry, signal))).toMatchObject({
      isNew: false,
      claimed: false,
      sessionRecord: { owner: undefined, messages: 0 },
    })
    expect(value(await store().inbox(sessionRecord, signal))).toEqual([])
  })

  it('lets what arrives for an owned session wait, in order', async () => {
    const { sessionRecord, key } = await claimed(store())
    const second = message(sessionRecord, { owner: THERE, body: 'second' })
    const third = control(sessionRecord, { owner: THERE, body: 'third' })
    expect(value(await peer().accept(second, signal))).toMatchObject({
      isNew: true,
      claimed: false,
      sessionRecord: { owner: HERE, fencingToken: 1, messages: 2 },
    })
    expect(value(await peer().accept(third, signal))).toMatchObject({
      isNew: true,
      claimed: false,
      sessionRecord: { owner: HERE, messages: 2, controls: 1 },
    })
    const waiting = value(await store().inbox(sessionRecord, signal))
    expect(waiting.map((item) => [item.key, item.body, item.control])).toEqual([
      [key, '{"kind":"message","text":"hello"}', false],
      [second.key, 'second', false],
      [third.key, 'third', true],
    ])
    expect(waiting.map(({ n }) => n)).toEqual(waiting.map(({ n }) => n).toSorted((a, b) => a - b))
    expect(
      written(
        await store().commit(
          commit(sessionRecord, ['a'], { acknowledged: acknowledged(key), end: 'end' }),
          signal,
        ),
      ),
    ).toMatchObject({ released: false, messages: 1, controls: 1 })
    expect(
      written(
        await store().commit(
          commit({ ...sessionRecord, head: 1 }, ['b'], {
            acknowledged: { messages: [second.key], controls: [third.key] },
            end: 'end',
          }),
          signal,
        ),
      ),
    ).toMatchObject({ released: true })
  })

  it('parks a session for a person: messages wait apart, an answer claims it', async () => {
    const sessionRecord = await parked(store())
    expect(sessionRecord).toMatchObject({ owner: undefined, parked: true, fencingToken: 1 })
    const waits = value(await peer().accept(message(sessionRecord, { owner: THERE }), signal))
    expect(waits).toMatchObject({
      isNew: true,
      claimed: false,
      sessionRecord: { owner: undefined, parked: true, messages: 1 },
    })
    const answer = control(sessionRecord, { owner: THERE })
    const accepted = value(await peer().accept(answer, signal))
    expect(accepted).toMatchObject({
      isNew: true,
      claimed: true,
      sessionRecord: { owner: THERE, fencingToken: 2, parked: true, messages: 1, controls: 1 },
    })
    const parkedAgain = commit(accepted.sessionRecord ?? sessionRecord, ['b'], {
      acknowledged: { messages: [], controls: [answer.key] },
      end: 'park',
    })
    expect(written(await peer().commit(parkedAgain, signal))).toMatchObject({
      released: true,
      messages: 1,
      controls: 0,
    })
  })

  it('keeps a session that is parked while an answer is already there', async () => {
    const { sessionRecord, key } = await claimed(store())
    value(await peer().accept(control(sessionRecord, { owner: THERE }), signal))
    expect(
      written(
        await store().commit(
          commit(sessionRecord, ['asked'], { acknowledged: acknowledged(key), end: 'park' }),
          signal,
        ),
      ),
    ).toMatchObject({ released: false, controls: 1 })
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      owner: HERE,
      parked: true,
    })
  })

  it('serves the messages that waited once the parked run has ended', async () => {
    const sessionRecord = await parked(store())
    const waiting = message(sessionRecord)
    value(await store().accept(waiting, signal))
    const answer = control(sessionRecord)
    value(await store().accept(answer, signal))
    const mine = await sessionRecordOf(store(), sessionRecord)
    expect(
      written(
        await store().commit(
          commit(mine, ['answered'], {
            acknowledged: { messages: [], controls: [answer.key] },
            end: 'end',
          }),
          signal,
        ),
      ),
    ).toMatchObject({ released: false, messages: 1 })
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      owner: HERE,
      parked: false,
    })
  })

  it('fences an owner whose session was taken over', async () => {
    const { sessionRecord, key } = await claimed(store(), newSession(), HERE, 1)
    const acquired = await until(() => takeover(peer(), sessionRecord.session, 0))
    expect(acquired).toMatchObject({ owner: THERE, fencingToken: 2, head: 0, messages: 1 })
    expect(
      value(
        await store().commit(
          commit(sessionRecord, ['late'], { acknowledged: acknowledged(key) }),
          signal,
        ),
      ),
    ).toEqual({ verdict: 'fenced' })
    written(
      await peer().commit(
        commit(acquired, ['on time'], { acknowledged: acknowledged(key), end: 'end' }),
        signal,
      ),
    )
    expect(
      value(await store().commit(commit({ ...sessionRecord, head: 1 }, ['later']), signal)),
    ).toEqual({
      verdict: 'fenced',
    })
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['on time'])
  })

  it('tells an owner who repeats a commit that the session has gone on without it', async () => {
    const { sessionRecord, key } = await claimed(store())
    const last = commit(sessionRecord, ['a'], { acknowledged: acknowledged(key), leaseMs: 1 })
    written(await store().commit(last, signal))
    await until(() => takeover(peer(), sessionRecord.session, 0))
    expect(written(await store().commit(last, signal))).toMatchObject({
      stillOwned: false,
      released: false,
    })
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['a'])
  })

  it('writes nothing for a session that nobody owns', async () => {
    const sessionRecord = await finished(store(), ['a'])
    expect(value(await store().commit(commit(sessionRecord, ['b']), signal))).toEqual({
      verdict: 'fenced',
    })
    expect(
      value(await store().commit(commit({ ...sessionRecord, ...newSession() }, ['b']), signal)),
    ).toEqual({ verdict: 'fenced' })
  })

  it('takes over a session when its lease has lapsed by the margin, and not before', async () => {
    const { sessionRecord } = await claimed(store(), newSession(), HERE, 1)
    await sleep(20)
    expect(await takeover(peer(), sessionRecord.session, 60_000)).toBeUndefined()
    expect(await takeover(peer(), sessionRecord.session, 0)).toMatchObject({
      owner: THERE,
      fencingToken: 2,
      messages: 1,
      state: sessionRecord.state,
    })
    expect(await takeover(peer(), sessionRecord.session, 0)).toBeUndefined()
  })

  it('takes nothing over from whoever works on it, however long its lease has lapsed', async () => {
    const { sessionRecord } = await claimed(store(), newSession(), THERE, 1)
    const { sessionRecord: staleRecord } = await claimed(store(), newSession(), THERE, 1)
    await sleep(20)
    const sessions = value(
      await peer().takeover(
        THERE,
        all({
          held: [sessionRecord, { ...staleRecord, fencingToken: staleRecord.fencingToken - 1 }],
        }),
        signal,
      ),
    ).sessions.map(({ session }) => session)
    expect(sessions).not.toContain(sessionRecord.session)
    expect(sessions).toContain(staleRecord.session)
    expect(
      value(await peer().takeover(HERE, all(), signal)).sessions.map(({ session }) => session),
    ).toContain(sessionRecord.session)
  })

  it('leaves parked and idle sessions alone', async () => {
    const idle = await finished(store(), ['a'])
    const waits = await parked(store())
    value(await store().accept(message(waits), signal))
    const sessions = value(await peer().takeover(THERE, all(), signal)).sessions.map(
      ({ session }) => session,
    )
    expect(sessions).not.toContain(idle.session)
    expect(sessions).not.toContain(waits.session)
  })

  it('takes up a parked session once it is due, on its own clock, and writes nothing that comes after its time', async () => {
    const now = (await parked(store())).at
    const late = await finished(store(), ['asked'], newSession(), { end: 'park', due: now - 1 })
    const early = await finished(store(), ['asked'], newSession(), {
      end: 'park',
      due: now + 3_600_000,
    })
    expect(
      value(await store().accept(control(late, { expiresAt: now - 1 }), signal)),
    ).toMatchObject({
      isNew: false,
      claimed: false,
      late: true,
    })
    const sessions = value(
      await peer().takeover(THERE, all({ marginMs: 60_000 }), signal),
    ).sessions.map(({ session }) => session)
    expect(sessions).toContain(late.session)
    expect(sessions).not.toContain(early.session)
    expect(
      value(await store().accept(control(early, { expiresAt: now + 3_600_000 }), signal)),
    ).toMatchObject({ isNew: true, claimed: true })
  })

  it('is not due any more once its run has gone on', async () => {
    const waits = await finished(store(), ['asked'], newSession(), { end: 'park', due: 1 })
    const sessionRecord = value(
      await peer().takeover(THERE, all({ marginMs: 60_000 }), signal),
    ).sessions.find(({ session }) => session === waits.session)
    if (!sessionRecord) throw new Error('the session was not taken up')
    expect(
      written(await peer().commit(commit(sessionRecord, ['ended'], { end: 'end' }), signal)),
    ).toMatchObject({ released: true })
    expect(
      value(await peer().takeover(THERE, all({ marginMs: 60_000 }), signal)).sessions.map(
        ({ session }) => session,
      ),
    ).not.toContain(waits.session)
  })

  it('gives each lapsed session to one of those who look at once, and no more than asked for', async () => {
    const lapsed = new Set<string>(
      (
        await Promise.all(Array.from({ length: 12 }, () => claimed(store(), newSession(), HERE, 1)))
      ).map(({ sessionRecord }) => sessionRecord.session),
    )
    await sleep(20)
    const takeovers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? store() : peer()).takeover(
          THERE,
          all({ limit: 3, maxSuspects: 3 }),
          signal,
        ),
      ),
    )
    for (const one of takeovers) expect(value(one).sessions.length).toBeLessThanOrEqual(6)
    const rest = value(await peer().takeover(THERE, all(), signal)).sessions
    const acquired = [...takeovers.flatMap((one) => value(one).sessions), ...rest]
      .map(({ session }) => session)
      .filter((session) => lapsed.has(session))
    expect(acquired.toSorted()).toEqual([...lapsed].toSorted())
  })

  it('takes every session but its own when the process says that it is alone', async () => {
    const { sessionRecord: theirs } = await claimed(store(), newSession(), HERE)
    const { sessionRecord: mine } = await claimed(store(), newSession(), THERE)
    const acquired = value(
      await peer().takeover(THERE, all({ marginMs: -1 }), signal),
    ).sessions.map(({ session }) => session)
    expect(acquired).toContain(theirs.session)
    expect(acquired).not.toContain(mine.session)
  })

  it('prolongs the leases that are still held, and says what waits', async () => {
    const { sessionRecord } = await claimed(store(), newSession(), HERE, 150)
    const { sessionRecord: lost } = await claimed(store())
    const done = await finished(store(), ['a'])
    value(await peer().accept(control(sessionRecord, { owner: THERE }), signal))
    const { tenant, session, fencingToken } = sessionRecord
    expect(
      value(
        await store().renew(
          HERE,
          [sessionRecord, { ...lost, fencingToken: 7 }, done],
          LEASE,
          signal,
        ),
      ),
    ).toEqual([{ tenant, session, fencingToken, messages: 1, controls: 1 }])
    expect(value(await store().renew(THERE, [sessionRecord], LEASE, signal))).toEqual([])
    await sleep(200)
    expect(await takeover(peer(), session, 0)).toBeUndefined()
  })

  it('lets a lease of no length be taken over at once', async () => {
    const { sessionRecord } = await claimed(store())
    value(await store().renew(HERE, [sessionRecord], 0, signal))
    expect(await takeover(peer(), sessionRecord.session, 60_000)).toMatchObject({ owner: THERE })
  })
}

const all = (more: Partial<Takeover> = {}): Takeover => ({
  marginMs: 0,
  leaseMs: LEASE,
  limit: MANY,
  maxSuspects: MANY,
  trial: true,
  ...more,
})

/** Takes over for THERE; the row of that session, where it was among them. */
async function takeover(store: SessionStore, session: string, marginMs: number) {
  return value(await store.takeover(THERE, all({ marginMs }), signal)).sessions.find(
    (sessionRecord) => sessionRecord.session === session,
  )
}

/** Asks until there is something, for at most 2 s. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = await ask()
    if (found !== undefined) return found
    await sleep(10)
  }
  throw new Error('it did not come about within 2 s')
}
