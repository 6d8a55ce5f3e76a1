import { expect, it } from 'vitest'
import { sessionId, tenantId, type SessionRef } from '@amodal/kernel'
import type { SessionStore } from '../../ports/session-store.ts'
import {
  bodiesOf,
  claimed,
  commit,
  control,
  finished,
  HERE,
  sessionRecordOf,
  message,
  newKey,
  newSession,
  parked,
  signal,
  value,
  written,
} from './subject.ts'

const CREATE = { principal: 'bob', title: 'A fork', meta: '{}' }

export function sessionTests(store: () => SessionStore): void {
  const forks = async (parent: SessionRef, at: number, child = newSession()): Promise<boolean> =>
    value(await store().fork(parent, child.session, at, CREATE, signal))
  const fork = async (
    parent: SessionRef,
    at: number,
    child = newSession(),
  ): Promise<SessionRef> => {
    expect(await forks(parent, at, child)).toBe(true)
    return child
  }

  it('changes what a person may change of a session', async () => {
    const sessionRecord = await finished(store(), ['a'])
    expect(
      value(
        await store().update(
          sessionRecord,
          { title: 'Neu: "ü"', tags: ['a,b', '"c"', ''], meta: '{"x":1}' },
          signal,
        ),
      ),
    ).toBe(true)
    expect(value(await store().row(sessionRecord, signal))).toMatchObject({
      title: 'Neu: "ü"',
      tags: ['a,b', '"c"', ''],
      meta: '{"x":1}',
      principal: 'ann',
    })
    expect(value(await store().update(sessionRecord, { tags: [] }, signal))).toBe(true)
    expect(value(await store().row(sessionRecord, signal))).toMatchObject({
      title: 'Neu: "ü"',
      tags: [],
      meta: '{"x":1}',
    })
    expect(value(await store().update(newSession(), { title: 'x' }, signal))).toBe(false)
  })

  it('says when a session was made and when it was used last', async () => {
    const before = Date.now()
    const sessionRecord = await finished(store(), ['a'])
    const row = value(await store().row(sessionRecord, signal))
    expect(row?.createdAt).toBeGreaterThan(before - 5_000)
    expect(row?.updatedAt).toBeLessThan(Date.now() + 5_000)
    expect(row?.updatedAt).toBeGreaterThanOrEqual(row?.createdAt ?? Infinity)
    expect(value(await store().row(newSession(), signal))).toBeUndefined()
  })

  it('shares the entries of a parent with its forks, and forks of forks', async () => {
    const first = await finished(store(), ['1', '2', '3', '4'])
    const second = await fork(first, 3)
    expect(await sessionRecordOf(store(), second)).toMatchObject({
      head: 3,
      owner: undefined,
      messages: 0,
      controls: 0,
      parked: false,
      state: '{"v":1,"kind":"idle"}',
    })
    expect(value(await store().row(second, signal))).toMatchObject({
      parent: first.session,
      forkedAt: 3,
      principal: 'bob',
      title: 'A fork',
      messageCount: 0,
      head: 3,
    })
    await goOn(store(), second, ['4b', '5b'])
    await goOn(store(), first, ['5'])
    const third = await fork(second, 4)
    const fourth = await fork(third, 2)
    await goOn(store(), third, ['5c'])
    await goOn(store(), fourth, ['3d'])
    expect(await bodiesOf(store(), first)).toEqual(['1', '2', '3', '4', '5'])
    expect(await bodiesOf(store(), second)).toEqual(['1', '2', '3', '4b', '5b'])
    expect(await bodiesOf(store(), third)).toEqual(['1', '2', '3', '4b', '5c'])
    expect(await bodiesOf(store(), fourth)).toEqual(['1', '2', '3d'])
    expect(await bodiesOf(store(), third, 3)).toEqual(['4b', '5c'])
    expect(
      value(await store().entries(third, { after: 1, upto: 4, limit: 2 }, signal)).map(
        ({ seq, body }) => [seq, body],
      ),
    ).toEqual([
      [2, '2'],
      [3, '3'],
    ])
  })

  it('forks only what is there, and the same fork once', async () => {
    const parent = await finished(store(), ['1', '2'])
    const child = newSession()
    expect(await forks(parent, 2, child)).toBe(true)
    expect(await forks(parent, 2, child)).toBe(true)
    expect(await forks(parent, 1, child)).toBe(false)
    expect(await forks(parent, 3)).toBe(false)
    expect(await forks(parent, -1)).toBe(false)
    expect(await forks(newSession(), 0)).toBe(false)
    expect(await forks(parent, 1, await finished(store(), ['mine']))).toBe(false)
    expect(await bodiesOf(store(), await fork(parent, 0))).toEqual([])
  })

  it('inherits neither a wait for a person nor what is in the inbox', async () => {
    const parent = await parked(store())
    value(await store().accept(message(parent), signal))
    const child = await fork(parent, 1)
    expect(await sessionRecordOf(store(), child)).toMatchObject({
      parked: false,
      messages: 0,
      state: '{"v":1,"kind":"idle"}',
    })
    expect(value(await store().accept(message(child), signal))).toMatchObject({
      claimed: true,
      sessionRecord: { head: 1 },
    })
  })

  it('removes a session, and lets it be made anew', async () => {
    const ref = newSession()
    await finished(store(), ['a'], ref)
    expect(value(await store().remove(ref, signal))).toBe(true)
    expect(value(await store().sessionRecord(ref, signal))).toBeUndefined()
    expect(await bodiesOf(store(), ref)).toEqual([])
    expect(value(await store().remove(ref, signal))).toBe(false)
    await finished(store(), ['b'], ref)
    expect(await bodiesOf(store(), ref)).toEqual(['b'])
  })

  it('does not remove a session with a run, or with work that waits', async () => {
    const { sessionRecord } = await claimed(store())
    expect(value(await store().remove(sessionRecord, signal))).toBe(false)
    const waits = await parked(store())
    value(await store().accept(control(waits), signal))
    expect(value(await store().remove(waits, signal))).toBe(false)
    expect(value(await store().remove(await parked(store()), signal))).toBe(true)
  })

  it('does not remove a session while a fork shows its entries', async () => {
    const parent = await finished(store(), ['1', '2'])
    const child = await fork(parent, 1)
    expect(value(await store().remove(parent, signal))).toBe(false)
    expect(await bodiesOf(store(), child)).toEqual(['1'])
    expect(value(await store().remove(child, signal))).toBe(true)
    expect(value(await store().remove(parent, signal))).toBe(true)
  })

  it('keeps tenants apart that use the same ids', async () => {
    const ours = newSession()
    const theirs = { tenant: tenantId('rival'), session: ours.session }
    const sessionRecord = await finished(store(), ['ours'], ours)
    expect(value(await store().sessionRecord(theirs, signal))).toBeUndefined()
    expect(value(await store().row(theirs, signal))).toBeUndefined()
    expect(await bodiesOf(store(), theirs)).toEqual([])
    expect(value(await store().inbox(theirs, signal))).toEqual([])
    expect(value(await store().update(theirs, { title: 'stolen' }, signal))).toBe(false)
    expect(value(await store().remove(theirs, signal))).toBe(false)
    expect(value(await store().fork(theirs, sessionId(newKey()), 1, CREATE, signal))).toBe(false)
    expect(value(await store().accept(control(theirs), signal))).toEqual({
      isNew: false,
      claimed: false,
    })
    expect(
      value(await store().commit(commit({ ...sessionRecord, ...theirs }, ['x']), signal)),
    ).toEqual({
      verdict: 'fenced',
    })
    await finished(store(), ['theirs'], theirs)
    const child = { tenant: theirs.tenant, session: sessionId(newKey()) }
    expect(value(await store().fork(theirs, child.session, 1, CREATE, signal))).toBe(true)
    expect(await bodiesOf(store(), child)).toEqual(['theirs'])
    expect(await bodiesOf(store(), ours)).toEqual(['ours'])
    expect(value(await store().row(ours, signal))).toMatchObject({ title: 'Hello' })
  })
}

/** One more turn with these entries. */
async function goOn(
  store: SessionStore,
  ref: SessionRef,
  bodies: readonly string[],
): Promise<void> {
  const item = message(ref, { owner: HERE })
  const { sessionRecord } = value(await store.accept(item, signal))
  if (sessionRecord)
    written(
      await store.commit(
        commit(sessionRecord, bodies, {
          acknowledged: { messages: [item.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
}
