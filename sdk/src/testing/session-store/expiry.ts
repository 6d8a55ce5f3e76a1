import { sessionId, type LaneRef, type SessionStore, sleep } from '@amodal/kernel'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  finished,
  laneOf,
  message,
  newKey,
  parked,
  signal,
  value,
  written,
} from './subject.ts'

const TTL = 40
const MANY = 10_000
const CREATE = { principal: 'bob', title: 'A fork', meta: '{}' }

export function expiryTests(store: () => SessionStore): void {
  /** What one sweep does, after everything that was there has had time to age. */
  const sweep = async (): Promise<{
    readonly idle: readonly string[]
    readonly expired: readonly string[]
  }> => {
    await sleep(TTL + 20)
    const { idle, expired } = value(await store().expire(TTL, MANY, signal))
    return {
      idle: idle.map(({ session }) => session),
      expired: expired.map(({ session }) => session),
    }
  }
  const status = async (ref: LaneRef): Promise<string> => (await laneOf(store(), ref)).status

  it('lets a session go idle, then expire: its history goes, its row stays', async () => {
    const lane = await finished(store(), ['a', 'b'])
    expect(value(await store().expire(60_000, MANY, signal)).idle).not.toContainEqual({
      tenant: lane.tenant,
      session: lane.session,
    })
    expect((await sweep()).idle).toContain(lane.session)
    expect(await status(lane)).toBe('idle')
    expect(await bodiesOf(store(), lane)).toEqual(['a', 'b'])
    expect((await sweep()).expired).toContain(lane.session)
    expect(await status(lane)).toBe('expired')
    expect(await bodiesOf(store(), lane)).toEqual([])
    const row = value(await store().row(lane, signal))
    expect(row).toMatchObject({ status: 'expired', title: 'Hello', principal: 'ann', head: 2 })
    expect(value(await store().list(lane.tenant, { limit: MANY }, signal)).rows).toContainEqual(row)
    const after = await sweep()
    expect([...after.idle, ...after.expired]).not.toContain(lane.session)
  })

  it('takes no message for an expired session, and never makes it anew', async () => {
    const lane = await finished(store(), ['a'])
    await sweep()
    await sweep()
    expect(value(await store().accept(message(lane), signal))).toMatchObject({
      fresh: false,
      claimed: false,
      lane: { status: 'expired', owner: undefined, messages: 0 },
    })
    expect(value(await store().inbox(lane, signal))).toEqual([])
    expect(value(await store().fork(lane, sessionId(newKey()), 1, CREATE, signal))).toBe(false)
  })

  it('wakes an idle session by a message', async () => {
    const lane = await finished(store(), ['a'])
    await sweep()
    const item = message(lane)
    const accepted = value(await store().accept(item, signal))
    expect(accepted).toMatchObject({ claimed: true, lane: { status: 'active', head: 1 } })
    expect(await sweep()).toEqual({
      idle: expect.not.arrayContaining([lane.session]) as unknown,
      expired: expect.not.arrayContaining([lane.session]) as unknown,
    })
    written(
      await store().commit(
        commit(accepted.lane ?? lane, ['b'], {
          took: { messages: [item.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
    expect((await sweep()).idle).toContain(lane.session)
  })

  it('leaves sessions alone that are owned, or in which something waits', async () => {
    const { lane: owned } = await claimed(store())
    const waits = await parked(store())
    value(await store().accept(message(waits), signal))
    await sweep()
    await sweep()
    await sweep()
    expect(await status(owned)).toBe('active')
    expect(await status(waits)).toBe('active')
    expect(await bodiesOf(store(), waits)).toEqual(['asked'])
  })

  it('keeps what waits for a person much longer', async () => {
    const waits = await parked(store())
    await sweep()
    await sweep()
    await sweep()
    expect(await status(waits)).toBe('idle')
    expect(await laneOf(store(), waits)).toMatchObject({ parked: true })
    expect(await bodiesOf(store(), waits)).toEqual(['asked'])
  })

  it('keeps a history as long as a fork shows it', async () => {
    const parent = await finished(store(), ['1', '2'])
    const child = { tenant: parent.tenant, session: sessionId(newKey()) }
    value(await store().fork(parent, child.session, 1, CREATE, signal))
    await sweep()
    const item = message(child)
    const { lane } = value(await store().accept(item, signal)) // the child lives on
    await sweep()
    await sweep()
    expect(await status(parent)).toBe('idle')
    expect(await bodiesOf(store(), child)).toEqual(['1'])
    if (lane)
      written(
        await store().commit(
          commit(lane, ['2b'], { took: { messages: [item.key], controls: [] }, end: 'end' }),
          signal,
        ),
      )
    for (let sweeps = 0; sweeps < 4; sweeps++) await sweep()
    expect([await status(child), await status(parent)]).toEqual(['expired', 'expired'])
    expect(await bodiesOf(store(), child)).toEqual([])
    expect(await bodiesOf(store(), parent)).toEqual([])
  })

  it('does no more at once than it is asked to', async () => {
    await Promise.all(Array.from({ length: 5 }, () => finished(store(), ['a'])))
    await sleep(TTL + 20)
    expect(value(await store().expire(TTL, 2, signal)).idle).toHaveLength(2)
  })
}
