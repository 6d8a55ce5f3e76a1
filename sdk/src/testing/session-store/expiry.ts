import { sessionId, tenantId, type SessionRef, sleep } from '@amodal/kernel'
import { keepAll, type Retention, type SessionKind } from '../../ports/retention.ts'
import type { SessionRecord, SessionStore } from '../../ports/session-store.ts'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  finished,
  sessionRecordOf,
  message,
  newKey,
  parked,
  signal,
  value,
  written,
} from './subject.ts'
import { sweepSessions } from './sweep.ts'

const TTL = 40
const MANY = 10_000
const refOf = ({ tenant, session }: SessionRef): SessionRef => ({ tenant, session })
const CREATE = { principal: 'bob', title: 'A fork', meta: '{}' }

export function expiryTests(store: () => SessionStore): void {
  /** What one sweep does, after everything that was there has had time to age. */
  const sweep = async (): Promise<{
    readonly idle: readonly string[]
    readonly expired: readonly string[]
  }> => {
    await sleep(TTL + 20)
    const { idle, expired } = await sweepSessions(store(), TTL, MANY)
    return {
      idle: idle.map(({ session }) => session),
      expired: expired.map(({ session }) => session),
    }
  }
  const status = async (ref: SessionRef): Promise<string> =>
    (await sessionRecordOf(store(), ref)).status

  it('lets a session go idle, then expire: its history goes, its row stays', async () => {
    const sessionRecord = await finished(store(), ['a', 'b'])
    expect((await sweepSessions(store(), 60_000, MANY)).idle).not.toContainEqual({
      tenant: sessionRecord.tenant,
      session: sessionRecord.session,
    })
    expect((await sweep()).idle).toContain(sessionRecord.session)
    expect(await status(sessionRecord)).toBe('idle')
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['a', 'b'])
    expect((await sweep()).expired).toContain(sessionRecord.session)
    expect(await status(sessionRecord)).toBe('expired')
    expect(await bodiesOf(store(), sessionRecord)).toEqual([])
    const row = value(await store().row(sessionRecord, signal))
    expect(row).toMatchObject({ status: 'expired', title: 'Hello', principal: 'ann', head: 2 })
    expect(
      value(await store().list(sessionRecord.tenant, { limit: MANY }, signal)).rows,
    ).toContainEqual(row)
    const after = await sweep()
    expect([...after.idle, ...after.expired]).not.toContain(sessionRecord.session)
  })

  it('takes no message for an expired session, and never makes it anew', async () => {
    const sessionRecord = await finished(store(), ['a'])
    await sweep()
    await sweep()
    expect(value(await store().accept(message(sessionRecord), signal))).toMatchObject({
      isNew: false,
      claimed: false,
      sessionRecord: { status: 'expired', owner: undefined, messages: 0 },
    })
    expect(value(await store().inbox(sessionRecord, signal))).toEqual([])
    expect(value(await store().fork(sessionRecord, sessionId(newKey()), 1, CREATE, signal))).toBe(
      false,
    )
  })

  it('wakes an idle session by a message', async () => {
    const sessionRecord = await finished(store(), ['a'])
    await sweep()
    const item = message(sessionRecord)
    const accepted = value(await store().accept(item, signal))
    expect(accepted).toMatchObject({ claimed: true, sessionRecord: { status: 'active', head: 1 } })
    expect(await sweep()).toEqual({
      idle: expect.not.arrayContaining([sessionRecord.session]) as unknown,
      expired: expect.not.arrayContaining([sessionRecord.session]) as unknown,
    })
    written(
      await store().commit(
        commit(accepted.sessionRecord ?? sessionRecord, ['b'], {
          acknowledged: { messages: [item.key], controls: [] },
          end: 'end',
        }),
        signal,
      ),
    )
    expect((await sweep()).idle).toContain(sessionRecord.session)
  })

  it('leaves sessions alone that are owned, or in which something waits', async () => {
    const { sessionRecord: owned } = await claimed(store())
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
    expect(await sessionRecordOf(store(), waits)).toMatchObject({ parked: true })
    expect(await bodiesOf(store(), waits)).toEqual(['asked'])
  })

  it('keeps a history as long as a fork shows it', async () => {
    const parent = await finished(store(), ['1', '2'])
    const child = { tenant: parent.tenant, session: sessionId(newKey()) }
    value(await store().fork(parent, child.session, 1, CREATE, signal))
    await sweep()
    const item = message(child)
    const { sessionRecord } = value(await store().accept(item, signal)) // the child lives on
    await sweep()
    await sweep()
    expect(await status(parent)).toBe('idle')
    expect(await bodiesOf(store(), child)).toEqual(['1'])
    if (sessionRecord)
      written(
        await store().commit(
          commit(sessionRecord, ['2b'], {
            acknowledged: { messages: [item.key], controls: [] },
            end: 'end',
          }),
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
    expect((await sweepSessions(store(), TTL, 2)).idle).toHaveLength(2)
  })

  it('keeps sessions by their kind, and those of some tenants otherwise', async () => {
    const ref = (tenant: string): SessionRef => ({
      tenant: tenantId(tenant),
      session: sessionId(newKey()),
    })
    const of = async (kind: SessionKind | undefined, tenant: string): Promise<SessionRecord> => {
      const one = ref(tenant)
      const create = { principal: 'ann', title: '', meta: '{}', ...(kind && { kind }) }
      const item = message(one, { create })
      const { sessionRecord } = value(await store().accept(item, signal))
      if (!sessionRecord) throw new Error('no session was made')
      const end = { acknowledged: { messages: [item.key], controls: [] }, end: 'end' } as const
      written(await store().commit(commit(sessionRecord, ['a'], end), signal))
      return sessionRecordOf(store(), one)
    }
    const soon = { idleMs: TTL, expireMs: TTL }
    const later = { idleMs: TTL, expireMs: 60_000 }
    const never = { idleMs: undefined, expireMs: undefined }
    const retention: Retention = {
      kinds: { chat: soon, automation: later, 'agent-run': never, admin: never },
      tenants: new Map([
        [tenantId('kept'), { chat: never, automation: soon, 'agent-run': soon, admin: soon }],
      ]),
    }
    const sessions = {
      chat: await of(undefined, 'acme'),
      automation: await of('automation', 'acme'),
      run: await of('agent-run', 'acme'),
      keptChat: await of('chat', 'kept'),
      keptAutomation: await of('automation', 'kept'),
    }
    const child = { tenant: sessions.automation.tenant, session: sessionId(newKey()) }
    value(await store().fork(sessions.automation, child.session, 0, CREATE, signal))
    expect(value(await store().row(child, signal))).toMatchObject({ kind: 'automation' })
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await sleep(TTL + 20)
      const overdue = value(await store().overdue(retention, MANY, signal))
      value(await store().expire(overdue, signal))
      value(await store().idle(retention, MANY, signal))
    }
    const found = await Promise.all(Object.values(sessions).map(status))
    expect(found).toEqual(['expired', 'idle', 'active', 'active', 'expired'])
  })

  it('deletes nothing that has changed since it was overdue', async () => {
    const sessionRecord = await finished(store(), ['a'])
    await sweep()
    await sleep(TTL + 20)
    const overdue = value(await store().overdue(keepAll(TTL), MANY, signal))
    expect(overdue).toContainEqual({
      tenant: sessionRecord.tenant,
      session: sessionRecord.session,
      head: 1,
    })
    const item = message(sessionRecord)
    const newRecord = value(await store().accept(item, signal)).sessionRecord ?? sessionRecord
    expect(value(await store().expire(overdue, signal))).not.toContainEqual(refOf(sessionRecord))
    const acknowledged = { messages: [item.key], controls: [] }
    written(await store().commit(commit(newRecord, ['b'], { acknowledged, end: 'end' }), signal))
    await sweep()
    expect(await status(sessionRecord)).toBe('idle')
    expect(value(await store().expire(overdue, signal))).not.toContainEqual(refOf(sessionRecord))
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['a', 'b'])
  })
}
