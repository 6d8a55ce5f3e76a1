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
  leaseOf,
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
    expect(value(await store().lease(ref, signal))).toBeUndefined()
    expect(value(await store().accept(message(ref), signal))).toMatchObject({
      isNew: true,
      claimed: true,
      lease: { ...ref, head: 0, fencingToken: 1, owner: HERE, messages: 1 },
    })
  })

  it('accepts a key once and shows what came with it first', async () => {
    const { lease, key } = await claimed(store())
    const retry = message(lease, { key, body: 'another', owner: THERE })
    expect(value(await peer().accept(retry, signal))).toMatchObject({
      isNew: false,
      claimed: false,
      earlier: '{"kind":"message","text":"hello"}',
      lease: { owner: HERE, fencingToken: 1, messages: 1 },
    })
    written(
      await store().commit(
        commit(lease, ['a'], { acknowledged: acknowledged(key), end: 'end' }),
        signal,
      ),
    )
    expect(value(await peer().accept(retry, signal))).toMatchObject({
      isNew: false,
      claimed: false,
      lease: { owner: undefined, messages: 0 },
    })
    expect(value(await store().inbox(lease, signal))).toEqual([])
  })

  it('lets what arrives for an owned session wait, in order', async () => {
    const { lease, key } = await claimed(store())
    const second = message(lease, { owner: THERE, body: 'second' })
    const third = control(lease, { owner: THERE, body: 'third' })
    expect(value(await peer().accept(second, signal))).toMatchObject({
      isNew: true,
      claimed: false,
      lease: { owner: HERE, fencingToken: 1, messages: 2 },
    })
    expect(value(await peer().accept(third, signal))).toMatchObject({
      isNew: true,
      claimed: false,
      lease: { owner: HERE, messages: 2, controls: 1 },
    })
    const waiting = value(await store().inbox(lease, signal))
    expect(waiting.map((item) => [item.key, item.body, item.control])).toEqual([
      [key, '{"kind":"message","text":"hello"}', false],
      [second.key, 'second', false],
      [third.key, 'third', true],
    ])
    expect(waiting.map(({ n }) => n)).toEqual(waiting.map(({ n }) => n).toSorted((a, b) => a - b))
    expect(
      written(
        await store().commit(
          commit(lease, ['a'], { acknowledged: acknowledged(key), end: 'end' }),
          signal,
        ),
      ),
    ).toMatchObject({ released: false, messages: 1, controls: 1 })
    expect(
      written(
        await store().commit(
          commit({ ...lease, head: 1 }, ['b'], {
            acknowledged: { messages: [second.key], controls: [third.key] },
            end: 'end',
          }),
          signal,
        ),
      ),
    ).toMatchObject({ released: true })
  })

  it('parks a session for a person: messages wait apart, an answer claims it', async () => {
    const lease = await parked(store())
    expect(lease).toMatchObject({ owner: undefined, parked: true, fencingToken: 1 })
    const waits = value(await peer().accept(message(lease, { owner: THERE }), signal))
    expect(waits).toMatchObject({
      isNew: true,
      claimed: false,
      lease: { owner: undefined, parked: true, messages: 1 },
    })
    const answer = control(lease, { owner: THERE })
    const accepted = value(await peer().accept(answer, signal))
    expect(accepted).toMatchObject({
      isNew: true,
      claimed: true,
      lease: { owner: THERE, fencingToken: 2, parked: true, messages: 1, controls: 1 },
    })
    const parkedAgain = commit(accepted.lease ?? lease, ['b'], {
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
    const { lease, key } = await claimed(store())
    value(await peer().accept(control(lease, { owner: THERE }), signal))
    expect(
      written(
        await store().commit(
          commit(lease, ['asked'], { acknowledged: acknowledged(key), end: 'park' }),
          signal,
        ),
      ),
    ).toMatchObject({ released: false, controls: 1 })
    expect(await leaseOf(store(), lease)).toMatchObject({ owner: HERE, parked: true })
  })

  it('serves the messages that waited once the parked run has ended', async () => {
    const lease = await parked(store())
    const waiting = message(lease)
    value(await store().accept(waiting, signal))
    const answer = control(lease)
    value(await store().accept(answer, signal))
    const mine = await leaseOf(store(), lease)
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
    expect(await leaseOf(store(), lease)).toMatchObject({ owner: HERE, parked: false })
  })

  it('fences an owner whose session was taken over', async () => {
    const { lease, key } = await claimed(store(), newSession(), HERE, 1)
    const acquired = await until(() => takeover(peer(), lease.session, 0))
    expect(acquired).toMatchObject({ owner: THERE, fencingToken: 2, head: 0, messages: 1 })
    expect(
      value(
        await store().commit(commit(lease, ['late'], { acknowledged: acknowledged(key) }), signal),
      ),
    ).toEqual({ verdict: 'fenced' })
    written(
      await peer().commit(
        commit(acquired, ['on time'], { acknowledged: acknowledged(key), end: 'end' }),
        signal,
      ),
    )
    expect(value(await store().commit(commit({ ...lease, head: 1 }, ['later']), signal))).toEqual({
      verdict: 'fenced',
    })
    expect(await bodiesOf(store(), lease)).toEqual(['on time'])
  })

  it('tells an owner who repeats a commit that the session has gone on without it', async () => {
    const { lease, key } = await claimed(store())
    const last = commit(lease, ['a'], { acknowledged: acknowledged(key), leaseMs: 1 })
    written(await store().commit(last, signal))
    await until(() => takeover(peer(), lease.session, 0))
    expect(written(await store().commit(last, signal))).toMatchObject({
      stillOwner: false,
      released: false,
    })
    expect(await bodiesOf(store(), lease)).toEqual(['a'])
  })

  it('writes nothing for a session that nobody owns', async () => {
    const lease = await finished(store(), ['a'])
    expect(value(await store().commit(commit(lease, ['b']), signal))).toEqual({ verdict: 'fenced' })
    expect(
      value(await store().commit(commit({ ...lease, ...newSession() }, ['b']), signal)),
    ).toEqual({ verdict: 'fenced' })
  })

  it('takes over a session when its lease has lapsed by the margin, and not before', async () => {
    const { lease } = await claimed(store(), newSession(), HERE, 1)
    await sleep(20)
    expect(await takeover(peer(), lease.session, 60_000)).toBeUndefined()
    expect(await takeover(peer(), lease.session, 0)).toMatchObject({
      owner: THERE,
      fencingToken: 2,
      messages: 1,
      state: lease.state,
    })
    expect(await takeover(peer(), lease.session, 0)).toBeUndefined()
  })

  it('takes nothing over from whoever works on it, however long its lease has lapsed', async () => {
    const { lease } = await claimed(store(), newSession(), THERE, 1)
    const { lease: staleLease } = await claimed(store(), newSession(), THERE, 1)
    await sleep(20)
    const sessions = value(
      await peer().takeover(
        THERE,
        all({ held: [lease, { ...staleLease, fencingToken: staleLease.fencingToken - 1 }] }),
        signal,
      ),
    ).leases.map(({ session }) => session)
    expect(sessions).not.toContain(lease.session)
    expect(sessions).toContain(staleLease.session)
    expect(
      value(await peer().takeover(HERE, all(), signal)).leases.map(({ session }) => session),
    ).toContain(lease.session)
  })

  it('leaves parked and idle sessions alone', async () => {
    const idle = await finished(store(), ['a'])
    const waits = await parked(store())
    value(await store().accept(message(waits), signal))
    const sessions = value(await peer().takeover(THERE, all(), signal)).leases.map(
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
    ).leases.map(({ session }) => session)
    expect(sessions).toContain(late.session)
    expect(sessions).not.toContain(early.session)
    expect(
      value(await store().accept(control(early, { expiresAt: now + 3_600_000 }), signal)),
    ).toMatchObject({ isNew: true, claimed: true })
  })

  it('is not due any more once its run has gone on', async () => {
    const waits = await finished(store(), ['asked'], newSession(), { end: 'park', due: 1 })
    const lease = value(
      await peer().takeover(THERE, all({ marginMs: 60_000 }), signal),
    ).leases.find(({ session }) => session === waits.session)
    if (!lease) throw new Error('the session was not taken up')
    expect(
      written(await peer().commit(commit(lease, ['ended'], { end: 'end' }), signal)),
    ).toMatchObject({ released: true })
    expect(
      value(await peer().takeover(THERE, all({ marginMs: 60_000 }), signal)).leases.map(
        ({ session }) => session,
      ),
    ).not.toContain(waits.session)
  })

  it('gives each lapsed session to one of those who look at once, and no more than asked for', async () => {
    const leases = new Set<string>(
      (
        await Promise.all(Array.from({ length: 12 }, () => claimed(store(), newSession(), HERE, 1)))
      ).map(({ lease }) => lease.session),
    )
    await sleep(20)
    const takeovers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? store() : peer()).takeover(THERE, all({ limit: 3, suspects: 3 }), signal),
      ),
    )
    for (const one of takeovers) expect(value(one).leases.length).toBeLessThanOrEqual(6)
    const rest = value(await peer().takeover(THERE, all(), signal)).leases
    const acquired = [...takeovers.flatMap((one) => value(one).leases), ...rest]
      .map(({ session }) => session)
      .filter((session) => leases.has(session))
    expect(acquired.toSorted()).toEqual([...leases].toSorted())
  })

  it('takes every session but its own when the process says that it is alone', async () => {
    const { lease: theirs } = await claimed(store(), newSession(), HERE)
    const { lease: mine } = await claimed(store(), newSession(), THERE)
    const acquired = value(await peer().takeover(THERE, all({ marginMs: -1 }), signal)).leases.map(
      ({ session }) => session,
    )
    expect(acquired).toContain(theirs.session)
    expect(acquired).not.toContain(mine.session)
  })

  it('prolongs the leases that are still held, and says what waits', async () => {
    const { lease } = await claimed(store(), newSession(), HERE, 150)
    const { lease: lost } = await claimed(store())
    const done = await finished(store(), ['a'])
    value(await peer().accept(control(lease, { owner: THERE }), signal))
    const { tenant, session, fencingToken } = lease
    expect(
      value(await store().renew(HERE, [lease, { ...lost, fencingToken: 7 }, done], LEASE, signal)),
    ).toEqual([{ tenant, session, fencingToken, messages: 1, controls: 1 }])
    expect(value(await store().renew(THERE, [lease], LEASE, signal))).toEqual([])
    await sleep(200)
    expect(await takeover(peer(), session, 0)).toBeUndefined()
  })

  it('lets a lease of no length be taken over at once', async () => {
    const { lease } = await claimed(store())
    value(await store().renew(HERE, [lease], 0, signal))
    expect(await takeover(peer(), lease.session, 60_000)).toMatchObject({ owner: THERE })
  })
}

const all = (more: Partial<Takeover> = {}): Takeover => ({
  marginMs: 0,
  leaseMs: LEASE,
  limit: MANY,
  suspects: MANY,
  trial: true,
  ...more,
})

/** Takes over for THERE; the row of that session, where it was among them. */
async function takeover(store: SessionStore, session: string, marginMs: number) {
  return value(await store.takeover(THERE, all({ marginMs }), signal)).leases.find(
    (row) => row.session === session,
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
