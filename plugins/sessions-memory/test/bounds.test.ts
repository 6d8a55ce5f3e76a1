import {
  instanceId,
  sessionId,
  tenantId,
  unwrap,
  type Accept,
  type SessionRef,
  type SessionRecord,
} from '@amodal/sdk'
import { describe, expect, it } from 'vitest'
import { sweepSessions } from '@amodal/sdk/testing'
import { MemorySessions } from '../src/store.ts'

const signal = new AbortController().signal
const ref = (session: string): SessionRef => ({
  tenant: tenantId('acme'),
  session: sessionId(session),
})
const keep = (maxSessions: number): MemorySessions =>
  new MemorySessions({ maxSessions, parkedTtlMs: 60_000, keyTtlMs: 1 })

const message = (session: string, more: Partial<Accept> = {}): Accept => ({
  ...ref(session),
  key: `of ${session}`,
  body: '{}',
  control: false,
  owner: instanceId('here'),
  leaseMs: 60_000,
  create: { principal: 'ann', title: session, meta: '{}' },
  ...more,
})

async function begin(store: MemorySessions, session: string): Promise<SessionRecord> {
  const { sessionRecord: stored } = unwrap(
    await store.accept(message(session), signal),
    ({ message: text }) => text,
  )
  if (!stored) throw new Error('the session was not created')
  return stored
}

async function end(
  store: MemorySessions,
  { tenant, session, fencingToken, head }: SessionRecord,
  how: 'end' | 'park' = 'end',
): Promise<void> {
  const acknowledged = { messages: [`of ${session}`], controls: [] }
  unwrap(
    await store.commit(
      {
        tenant,
        session,
        fencingToken,
        base: head,
        key: `end of ${session}`,
        state: '{}',
        entries: [{ body: session }],
        acknowledged,
        erase: [],
        end: how,
        leaseMs: 60_000,
        progress: true,
        add: { messages: 1, input: 0, output: 0 },
      },
      signal,
    ),
    ({ message: text }) => text,
  )
}

const listed = async (store: MemorySessions): Promise<readonly string[]> => {
  const page = unwrap(
    await store.list(tenantId('acme'), { limit: 100 }, signal),
    ({ message: text }) => text,
  )
  return page.rows.map(({ session }) => session).toSorted()
}

describe('a full memory', () => {
  it('removes the unclaimed session that was used longest ago', async () => {
    const store = keep(3)
    for (const name of ['a', 'b', 'c']) await end(store, await begin(store, name))
    await end(store, await begin(store, 'd'))
    expect(await listed(store)).toEqual(['b', 'c', 'd'])
  })

  it('lets an expired one go first', async () => {
    const store = keep(3)
    await end(store, await begin(store, 'a'))
    const held = await begin(store, 'b')
    await sweepSessions(store, -1, 10) // every unclaimed session is old enough
    await end(store, held)
    await end(store, await begin(store, 'c'))
    await sweepSessions(store, -1, 1)
    expect(unwrap(await store.row(ref('a'), signal), ({ message: text }) => text)).toMatchObject({
      status: 'expired',
    })
    await begin(store, 'd')
    expect(await listed(store)).toEqual(['b', 'c', 'd'])
  })

  it('keeps what runs, what waits for a person and what a fork shows, and refuses more', async () => {
    const store = keep(4)
    await begin(store, 'runs')
    await end(store, await begin(store, 'waits'), 'park')
    await end(store, await begin(store, 'parent'))
    await store.fork(
      ref('parent'),
      sessionId('child'),
      1,
      { principal: 'ann', title: '', meta: '{}' },
      signal,
    )
    await store.accept(message('child', { key: 'again' }), signal)
    const refused = await store.accept(message('more'), signal)
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'STORE_FAILED', message: expect.stringContaining('maxSessions') as string },
    })
    expect(await listed(store)).toEqual(['child', 'parent', 'runs', 'waits'])
  })

  it('forgets the keys of answered messages, later', async () => {
    const store = keep(3)
    await end(store, await begin(store, 'a'))
    expect(await store.accept(message('a'), signal)).toMatchObject({ value: { isNew: false } })
    await new Promise((resolve) => setTimeout(resolve, 10))
    await sweepSessions(store, 60_000, 10)
    expect(await store.accept(message('a'), signal)).toMatchObject({ value: { isNew: true } })
  })
})

describe('an instance that is alone', () => {
  it('is not notified of its own changes', async () => {
    const store = keep(3)
    const notified: SessionRef[] = []
    store.watch((one) => notified.push(one))
    await end(store, await begin(store, 'a'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(notified).toEqual([])
    await store.accept(message('b', { owner: instanceId('there') }), signal)
    await end(store, await begin(store, 'c'))
    await expect.poll(() => notified).toEqual([ref('c')])
  })
})
