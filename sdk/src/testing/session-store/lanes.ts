import { sleep } from '@amodal/kernel'
import type { SessionStore, Takeover } from '@amodal/kernel'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  control,
  finished,
  HERE,
  laneOf,
  LEASE,
  message,
  newSession,
  parked,
  signal,
  THERE,
  value,
  written,
} from './subject.ts'

const took = (...keys: readonly string[]) => ({ messages: keys, controls: [] })
const MANY = 10_000

export function laneTests(store: () => SessionStore, peer: () => SessionStore): void {
  it('makes a session only where it is told to', async () => {
    const ref = newSession()
    const { create: _, ...item } = message(ref)
    expect(value(await store().accept(item, signal))).toEqual({ fresh: false, claimed: false })
    expect(value(await store().accept(control(ref), signal))).toEqual({
      fresh: false,
      claimed: false,
    })
    expect(value(await store().lane(ref, signal))).toBeUndefined()
    expect(value(await store().accept(message(ref), signal))).toMatchObject({
      fresh: true,
      claimed: true,
      lane: { ...ref, head: 0, fence: 1, owner: HERE, messages: 1 },
    })
  })

  it('accepts a key once and shows what came with it first', async () => {
    const { lane, key } = await claimed(store())
    const again = message(lane, { key, body: 'another', owner: THERE })
    expect(value(await peer().accept(again, signal))).toMatchObject({
      fresh: false,
      claimed: false,
      earlier: '{"kind":"message","text":"hello"}',
      lane: { owner: HERE, fence: 1, messages: 1 },
    })
    written(await store().commit(commit(lane, ['a'], { took: took(key), end: 'end' }), signal))
    expect(value(await peer().accept(again, signal))).toMatchObject({
      fresh: false,
      claimed: false,
      lane: { owner: undefined, messages: 0 },
    })
    expect(value(await store().inbox(lane, signal))).toEqual([])
  })

  it('lets what arrives for an owned lane wait, in order', async () => {
    const { lane, key } = await claimed(store())
    const second = message(lane, { owner: THERE, body: 'second' })
    const third = control(lane, { owner: THERE, body: 'third' })
    expect(value(await peer().accept(second, signal))).toMatchObject({
      fresh: true,
      claimed: false,
      lane: { owner: HERE, fence: 1, messages: 2 },
    })
    expect(value(await peer().accept(third, signal))).toMatchObject({
      fresh: true,
      claimed: false,
      lane: { owner: HERE, messages: 2, controls: 1 },
    })
    const waiting = value(await store().inbox(lane, signal))
    expect(waiting.map((item) => [item.key, item.body, item.control])).toEqual([
      [key, '{"kind":"message","text":"hello"}', false],
      [second.key, 'second', false],
      [third.key, 'third', true],
    ])
    expect(waiting.map(({ n }) => n)).toEqual(waiting.map(({ n }) => n).toSorted((a, b) => a - b))
    expect(
      written(await store().commit(commit(lane, ['a'], { took: took(key), end: 'end' }), signal)),
    ).toMatchObject({ released: false, messages: 1, controls: 1 })
    expect(
      written(
        await store().commit(
          commit({ ...lane, head: 1 }, ['b'], {
            took: { messages: [second.key], controls: [third.key] },
            end: 'end',
          }),
          signal,
        ),
      ),
    ).toMatchObject({ released: true })
  })

  it('parks a lane for a person: messages wait apart, an answer claims it', async () => {
    const lane = await parked(store())
    expect(lane).toMatchObject({ owner: undefined, parked: true, fence: 1 })
    const waits = value(await peer().accept(message(lane, { owner: THERE }), signal))
    expect(waits).toMatchObject({
      fresh: true,
      claimed: false,
      lane: { owner: undefined, parked: true, messages: 1 },
    })
    const answer = control(lane, { owner: THERE })
    const accepted = value(await peer().accept(answer, signal))
    expect(accepted).toMatchObject({
      fresh: true,
      claimed: true,
      lane: { owner: THERE, fence: 2, parked: true, messages: 1, controls: 1 },
    })
    const parkedAgain = commit(accepted.lane ?? lane, ['b'], {
      took: { messages: [], controls: [answer.key] },
      end: 'park',
    })
    expect(written(await peer().commit(parkedAgain, signal))).toMatchObject({
      released: true,
      messages: 1,
      controls: 0,
    })
  })

  it('keeps a lane that is parked while an answer is already there', async () => {
    const { lane, key } = await claimed(store())
    value(await peer().accept(control(lane, { owner: THERE }), signal))
    expect(
      written(
        await store().commit(commit(lane, ['asked'], { took: took(key), end: 'park' }), signal),
      ),
    ).toMatchObject({ released: false, controls: 1 })
    expect(await laneOf(store(), lane)).toMatchObject({ owner: HERE, parked: true })
  })

  it('serves the messages that waited once the parked run has ended', async () => {
    const lane = await parked(store())
    const waiting = message(lane)
    value(await store().accept(waiting, signal))
    const answer = control(lane)
    value(await store().accept(answer, signal))
    const mine = await laneOf(store(), lane)
    expect(
      written(
        await store().commit(
          commit(mine, ['answered'], {
            took: { messages: [], controls: [answer.key] },
            end: 'end',
          }),
          signal,
        ),
      ),
    ).toMatchObject({ released: false, messages: 1 })
    expect(await laneOf(store(), lane)).toMatchObject({ owner: HERE, parked: false })
  })

  it('fences an owner whose lane was taken over', async () => {
    const { lane, key } = await claimed(store(), newSession(), HERE, 1)
    const taken = await until(() => takeover(peer(), lane.session, 0))
    expect(taken).toMatchObject({ owner: THERE, fence: 2, head: 0, messages: 1 })
    expect(
      value(await store().commit(commit(lane, ['late'], { took: took(key) }), signal)),
    ).toEqual({ verdict: 'fenced' })
    written(
      await peer().commit(commit(taken, ['on time'], { took: took(key), end: 'end' }), signal),
    )
    expect(value(await store().commit(commit({ ...lane, head: 1 }, ['later']), signal))).toEqual({
      verdict: 'fenced',
    })
    expect(await bodiesOf(store(), lane)).toEqual(['on time'])
  })

  it('tells an owner who repeats a commit that the lane has gone on without it', async () => {
    const { lane, key } = await claimed(store())
    const last = commit(lane, ['a'], { took: took(key), leaseMs: 1 })
    written(await store().commit(last, signal))
    await until(() => takeover(peer(), lane.session, 0))
    expect(written(await store().commit(last, signal))).toMatchObject({
      mine: false,
      released: false,
    })
    expect(await bodiesOf(store(), lane)).toEqual(['a'])
  })

  it('writes nothing for a lane that nobody owns', async () => {
    const lane = await finished(store(), ['a'])
    expect(value(await store().commit(commit(lane, ['b']), signal))).toEqual({ verdict: 'fenced' })
    expect(
      value(await store().commit(commit({ ...lane, ...newSession() }, ['b']), signal)),
    ).toEqual({ verdict: 'fenced' })
  })

  it('takes over a lane when its lease has lapsed by the margin, and not before', async () => {
    const { lane } = await claimed(store(), newSession(), HERE, 1)
    await sleep(20)
    expect(await takeover(peer(), lane.session, 60_000)).toBeUndefined()
    expect(await takeover(peer(), lane.session, 0)).toMatchObject({
      owner: THERE,
      fence: 2,
      messages: 1,
      state: lane.state,
    })
    expect(await takeover(peer(), lane.session, 0)).toBeUndefined()
  })

  it('takes nothing over from whoever works on it, however long its lease has lapsed', async () => {
    const { lane } = await claimed(store(), newSession(), THERE, 1)
    const { lane: left } = await claimed(store(), newSession(), THERE, 1)
    await sleep(20)
    const sessions = value(
      await peer().takeover(
        THERE,
        all({ held: [lane, { ...left, fence: left.fence - 1 }] }),
        signal,
      ),
    ).lanes.map(({ session }) => session)
    expect(sessions).not.toContain(lane.session)
    expect(sessions).toContain(left.session)
    expect(
      value(await peer().takeover(HERE, all(), signal)).lanes.map(({ session }) => session),
    ).toContain(lane.session)
  })

  it('leaves parked and idle lanes alone', async () => {
    const idle = await finished(store(), ['a'])
    const waits = await parked(store())
    value(await store().accept(message(waits), signal))
    const sessions = value(await peer().takeover(THERE, all(), signal)).lanes.map(
      ({ session }) => session,
    )
    expect(sessions).not.toContain(idle.session)
    expect(sessions).not.toContain(waits.session)
  })

  it('takes up a parked lane once it is due, on its own clock, and writes nothing that comes after its time', async () => {
    const now = (await parked(store())).at
    const late = await finished(store(), ['asked'], newSession(), { end: 'park', due: now - 1 })
    const early = await finished(store(), ['asked'], newSession(), {
      end: 'park',
      due: now + 3_600_000,
    })
    expect(value(await store().accept(control(late, { until: now - 1 }), signal))).toMatchObject({
      fresh: false,
      claimed: false,
      late: true,
    })
    const sessions = value(
      await peer().takeover(THERE, all({ marginMs: 60_000 }), signal),
    ).lanes.map(({ session }) => session)
    expect(sessions).toContain(late.session)
    expect(sessions).not.toContain(early.session)
    expect(
      value(await store().accept(control(early, { until: now + 3_600_000 }), signal)),
    ).toMatchObject({ fresh: true, claimed: true })
  })

  it('is not due any more once its run has gone on', async () => {
    const waits = await finished(store(), ['asked'], newSession(), { end: 'park', due: 1 })
    const lane = value(await peer().takeover(THERE, all({ marginMs: 60_000 }), signal)).lanes.find(
      ({ session }) => session === waits.session,
    )
    if (!lane) throw new Error('the lane was not taken up')
    expect(
      written(await peer().commit(commit(lane, ['ended'], { end: 'end' }), signal)),
    ).toMatchObject({ released: true })
    expect(
      value(await peer().takeover(THERE, all({ marginMs: 60_000 }), signal)).lanes.map(
        ({ session }) => session,
      ),
    ).not.toContain(waits.session)
  })

  it('gives each lapsed lane to one of those who look at once, and no more than asked for', async () => {
    const lanes = new Set<string>(
      (
        await Promise.all(Array.from({ length: 12 }, () => claimed(store(), newSession(), HERE, 1)))
      ).map(({ lane }) => lane.session),
    )
    await sleep(20)
    const looked = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? store() : peer()).takeover(THERE, all({ limit: 3, suspects: 3 }), signal),
      ),
    )
    for (const one of looked) expect(value(one).lanes.length).toBeLessThanOrEqual(6)
    const rest = value(await peer().takeover(THERE, all(), signal)).lanes
    const taken = [...looked.flatMap((one) => value(one).lanes), ...rest]
      .map(({ session }) => session)
      .filter((session) => lanes.has(session))
    expect(taken.toSorted()).toEqual([...lanes].toSorted())
  })

  it('takes every lane but its own when the process says that it is alone', async () => {
    const { lane: theirs } = await claimed(store(), newSession(), HERE)
    const { lane: mine } = await claimed(store(), newSession(), THERE)
    const taken = value(await peer().takeover(THERE, all({ marginMs: -1 }), signal)).lanes.map(
      ({ session }) => session,
    )
    expect(taken).toContain(theirs.session)
    expect(taken).not.toContain(mine.session)
  })

  it('prolongs the leases that are still held, and says what waits', async () => {
    const { lane } = await claimed(store(), newSession(), HERE, 150)
    const { lane: lost } = await claimed(store())
    const done = await finished(store(), ['a'])
    value(await peer().accept(control(lane, { owner: THERE }), signal))
    const { tenant, session, fence } = lane
    expect(
      value(await store().renew(HERE, [lane, { ...lost, fence: 7 }, done], LEASE, signal)),
    ).toEqual([{ tenant, session, fence, messages: 1, controls: 1 }])
    expect(value(await store().renew(THERE, [lane], LEASE, signal))).toEqual([])
    await sleep(200)
    expect(await takeover(peer(), session, 0)).toBeUndefined()
  })

  it('lets a lease of no length be taken over at once', async () => {
    const { lane } = await claimed(store())
    value(await store().renew(HERE, [lane], 0, signal))
    expect(await takeover(peer(), lane.session, 60_000)).toMatchObject({ owner: THERE })
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
  return value(await store.takeover(THERE, all({ marginMs }), signal)).lanes.find(
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
