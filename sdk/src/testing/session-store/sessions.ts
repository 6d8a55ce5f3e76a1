import {
  principalId,
  sessionId,
  tenantId,
  type SessionId,
  type SessionRef,
  type TenantId,
  sleep,
} from '@amodal/kernel'
import { LISTED_KINDS, type SessionKind } from '../../ports/retention.ts'
import {
  SUBAGENT_META,
  type Page,
  type SessionRow,
  type SessionStore,
} from '../../ports/session-store.ts'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  control,
  finished,
  HERE,
  leaseOf,
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

  it('lists the sessions of a tenant newest first, page by page', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const [oldest, ...others] = await inTurn(Array.from({ length: 7 }, newSession), (ref) =>
      finished(store(), ['a'], { ...ref, tenant }),
    )
    const used = [...others, ...(oldest ? [oldest] : [])]
    if (oldest) value(await store().accept(message(oldest), signal))
    const expected = used.toReversed().map(({ session }) => session)
    for (const limit of [1, 3, 7, 50])
      expect((await pages(store(), tenant, limit)).map(({ session }) => session)).toEqual(expected)
    expect(await pages(store(), tenantId('nobody'), 3)).toEqual([])
  })

  it('lists only what one principal began, where that is asked', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const anns = await inTurn([newSession(), newSession()], (ref) =>
      finished(store(), ['a'], { ...ref, tenant }),
    )
    for (const ann of anns) await fork(ann, 1, { ...newSession(), tenant })
    const of = async (principal: string, limit: number) =>
      value(await store().list(tenant, { limit, principal: principalId(principal) }, signal))
    // Which one is newer, of two that came in one millisecond, is nobody's to say.
    const ids = anns.map(({ session }) => session).sort()
    expect((await of('ann', 5)).rows.map(({ session }) => session).sort()).toEqual(ids)
    expect((await of('bob', 5)).rows.map(({ parent }) => parent).sort()).toEqual(ids)
    expect((await of('bob', 1)).next).toBeDefined()
    expect(await of('carl', 5)).toEqual({ rows: [], next: undefined })
  })

  it('says what waits for a person and how the last run ended, and lists by it and by tags', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const ended = { reason: 'error', at: 5, code: 'MODEL_FAILED', message: 'no' } as const
    const waits = await parked(store(), { ...newSession(), tenant })
    const failed = await finished(
      store(),
      ['a'],
      { ...newSession(), tenant },
      { ended, model: 'm', provider: 'p' },
    )
    const empty = { ...newSession(), tenant }
    for (const fresh of [true, false])
      expect(
        value(
          await store().create(empty, { ...CREATE, request: fresh ? 'first' : 'second' }, signal),
        ),
      ).toEqual({ fresh, request: 'first' })
    value(await store().update(empty, { tags: ['x', 'y'] }, signal))
    const listed = async (page: Parameters<SessionStore['list']>[1]) =>
      value(await store().list(tenant, page, signal)).rows.map(({ session }) => session)
    expect(await listed({ limit: 9, waiting: true })).toEqual([waits.session])
    expect((await listed({ limit: 9, waiting: false })).toSorted()).toEqual(
      [failed.session, empty.session].toSorted(),
    )
    expect(await listed({ limit: 9, tags: ['y'] })).toEqual([empty.session])
    expect(await listed({ limit: 9, tags: ['x', 'z'] })).toEqual([])
    expect(value(await store().waiting(tenant, undefined, signal))).toBe(1)
    expect(value(await store().waiting(tenant, principalId('nobody'), signal))).toBe(0)
    expect(value(await store().row(failed, signal))).toMatchObject({
      lastEnd: ended,
      model: 'm',
      provider: 'p',
    })
    expect(value(await store().row(empty, signal))).toMatchObject({
      head: 0,
      messageCount: 0,
      lastEnd: undefined,
    })
    expect(value(await store().accept(message(empty), signal))).toMatchObject({
      fresh: true,
      claimed: true,
    })
  })

  it('searches, and lists by where a session stands, by its model and by time, page by page', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const place = () => ({ ...newSession(), tenant })
    const end = (model: string, reason: 'error' | 'model_stop', ref = place()) =>
      finished(store(), ['a'], ref, { model, ended: { reason, at: 5 } })
    const failed = await inTurn([1, 2, 3], () => end('small', 'error'))
    const ended = await end('large', 'model_stop')
    const waits = await parked(store(), place())
    const runs = place()
    value(await store().accept(message(runs), signal))
    const empty = place()
    value(await store().create(empty, { ...CREATE, title: 'Refund for Anna 100%' }, signal))
    const list = async (page: Partial<Page>) =>
      value(await store().list(tenant, { limit: 9, ...page }, signal)).rows
    const ids = async (page: Partial<Page>) =>
      (await list(page)).map(({ session }) => session).toSorted()
    const of = (...refs: readonly SessionRef[]) => refs.map(({ session }) => session).toSorted()
    expect(await ids({ standing: 'failed' })).toEqual(of(...failed))
    expect(await ids({ standing: 'done' })).toEqual(of(ended))
    expect(await ids({ standing: 'waiting' })).toEqual(of(waits))
    expect(await ids({ standing: 'running' })).toEqual(of(runs))
    expect(await ids({ standing: 'set_aside' })).toEqual([])
    expect((await list({})).map(({ session, standing }) => [session, standing]).toSorted()).toEqual(
      [
        ...failed.map(({ session }) => [session, 'failed']),
        [ended.session, 'done'],
        [waits.session, 'waiting'],
        [runs.session, 'running'],
        [empty.session, undefined],
      ].toSorted(),
    )
    expect(value(await store().row(runs, signal))).toMatchObject({ standing: 'running' })
    expect(await ids({ model: 'small' })).toEqual(of(...failed))
    expect(await ids({ model: 'small', standing: 'done' })).toEqual([])
    for (const search of ['fund', 'REFUND for', '100%', empty.session, empty.session.slice(0, -2)])
      expect(await ids({ search })).toEqual(of(empty))
    for (const search of ['%', '_', 'fund%Anna', empty.session.slice(2)])
      expect(await ids({ search })).toEqual(search === '%' ? of(empty) : [])

    // a page is full of those that are found
    const pageOf = async (cursor?: string) =>
      value(
        await store().list(
          tenant,
          { limit: 1, standing: 'failed', ...(cursor !== undefined && { cursor }) },
          signal,
        ),
      )
    const found: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await pageOf(cursor)
      found.push(...page.rows.map(({ session }) => session))
      cursor = page.next
      if (cursor === undefined) break
    }
    expect(found).toEqual(failed.map(({ session }) => session).toReversed())

    const at = value(await store().row(ended, signal))?.updatedAt ?? 0
    expect(await ids({ from: at, model: 'large' })).toEqual(of(ended))
    expect(await ids({ from: at + 3_600_000 })).toEqual([])
    expect(await ids({ to: at - 3_600_000 })).toEqual([])
    expect(await ids({ to: at + 3_600_000, from: at - 3_600_000 })).toHaveLength(7)
  })

  it('leaves out the sessions of sub-agents before it counts a page', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const talks = await inTurn([newSession(), newSession(), newSession()], async (ref) => {
      const lease = await finished(store(), ['a'], { ...ref, tenant })
      const create = {
        principal: 'ann',
        title: 'Task',
        meta: JSON.stringify({ [SUBAGENT_META]: 'worker' }),
      }
      for (const _ of [1, 2, 3])
        value(await store().fork(lease, newSession().session, 0, create, signal))
      return lease
    })
    expect((await pages(store(), tenant, 2)).map(({ session }) => session)).toEqual(
      talks.map(({ session }) => session).toReversed(),
    )
    expect(
      value(await store().list(tenant, { limit: 100, subagents: true }, signal)).rows,
    ).toHaveLength(12)
  })

  it('lists sessions of the kinds that are asked for, and counts those that are listed', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const of = async (kind: SessionKind): Promise<SessionId> => {
      const ref = { ...newSession(), tenant }
      const create = { principal: 'ann', title: '', meta: '{}', kind }
      value(await store().create(ref, create, signal))
      return ref.session
    }
    const [chat, admin] = await inTurn(['chat', 'admin'] as const, of)
    const listed = async (page: Omit<Page, 'limit'>): Promise<readonly SessionId[]> =>
      value(await store().list(tenant, { limit: 9, ...page }, signal)).rows.map(
        ({ session }) => session,
      )
    expect(await listed({})).toEqual([admin, chat])
    expect(await listed({ kinds: ['admin'] })).toEqual([admin])
    expect(await listed({ kinds: LISTED_KINDS })).toEqual([chat])
  })

  it('adds up what the sessions of a tenant, or of one principal, came to', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const nothing = {
      sessions: 0,
      inputTokens: 0,
      outputTokens: 0,
      cost: undefined,
      lastActive: undefined,
      models: [],
      agents: [],
    }
    expect(value(await store().totals(tenant, undefined, signal))).toEqual(nothing)
    const spend = (model: string, input: number, cost?: number) =>
      finished(
        store(),
        ['a'],
        { ...newSession(), tenant },
        { model, add: { messages: 1, input, output: 1, ...(cost !== undefined && { cost }) } },
      )
    const before = Date.now()
    await inTurn(
      [
        ['small', 10, 5],
        ['large', 700, 9_000_000_000],
        ['small', 20, 6],
        ['free', 3, undefined],
      ] as const,
      ([model, input, cost]) => spend(model, input, cost),
    )
    const totals = value(await store().totals(tenant, undefined, signal))
    expect(totals).toEqual({
      sessions: 4,
      inputTokens: 733,
      outputTokens: 4,
      cost: 9_000_000_011,
      lastActive: expect.any(Number) as number,
      models: [
        { name: 'large', sessions: 1, inputTokens: 700, outputTokens: 1, cost: 9_000_000_000 },
        { name: 'small', sessions: 2, inputTokens: 30, outputTokens: 2, cost: 11 },
        { name: 'free', sessions: 1, inputTokens: 3, outputTokens: 1, cost: undefined },
      ],
      agents: [],
    })
    expect(Math.abs(Number(totals.lastActive) - before)).toBeLessThan(60_000)
    expect(value(await store().totals(tenant, principalId('ann'), signal)).sessions).toBe(4)
    expect(value(await store().totals(tenant, principalId('bob'), signal))).toEqual(nothing)
    expect(value(await store().totals(tenantId('nobody'), undefined, signal))).toEqual(nothing)
  })

  it('adds up what sub-agents came to, by their names', async () => {
    const tenant = tenantId(`t_${newKey()}`)
    const [parent] = await inTurn([newSession()], (ref) =>
      finished(store(), ['a'], { ...ref, tenant }),
    )
    if (!parent) throw new Error('there is no parent')
    const dispatched = async (name: string, input: number): Promise<void> => {
      const child = { ...newSession(), tenant }
      value(
        await store().fork(
          parent,
          child.session,
          0,
          {
            principal: 'ann',
            title: '',
            meta: JSON.stringify({ from: 'x', [SUBAGENT_META]: name }),
          },
          signal,
        ),
      )
      await finished(store(), ['a'], child, {
        model: 'small',
        add: { messages: 1, input, output: 1, cost: 2 },
      })
    }
    await dispatched('scout', 5)
    await dispatched('explore', 100)
    await dispatched('scout', 6)
    expect(value(await store().totals(tenant, undefined, signal))).toMatchObject({
      sessions: 4,
      agents: [
        { name: 'explore', sessions: 1, inputTokens: 100, outputTokens: 1, cost: 2 },
        { name: 'scout', sessions: 2, inputTokens: 11, outputTokens: 2, cost: 4 },
      ],
    })
  })

  it('refuses a cursor that no list gave', async () => {
    for (const cursor of ['', 'x', 'e30', Buffer.from('1.').toString('base64url')]) {
      expect(await store().list(newSession().tenant, { limit: 3, cursor }, signal)).toMatchObject({
        ok: false,
        error: { code: 'VALIDATION_ERROR' },
      })
    }
  })

  it('changes what a person may change of a session', async () => {
    const lease = await finished(store(), ['a'])
    expect(
      value(
        await store().update(
          lease,
          { title: 'Neu: "ü"', tags: ['a,b', '"c"', ''], meta: '{"x":1}' },
          signal,
        ),
      ),
    ).toBe(true)
    expect(value(await store().row(lease, signal))).toMatchObject({
      title: 'Neu: "ü"',
      tags: ['a,b', '"c"', ''],
      meta: '{"x":1}',
      principal: 'ann',
    })
    expect(value(await store().update(lease, { tags: [] }, signal))).toBe(true)
    expect(value(await store().row(lease, signal))).toMatchObject({
      title: 'Neu: "ü"',
      tags: [],
      meta: '{"x":1}',
    })
    expect(value(await store().update(newSession(), { title: 'x' }, signal))).toBe(false)
  })

  it('says when a session was made and when it was used last', async () => {
    const before = Date.now()
    const lease = await finished(store(), ['a'])
    const row = value(await store().row(lease, signal))
    expect(row?.createdAt).toBeGreaterThan(before - 5_000)
    expect(row?.updatedAt).toBeLessThan(Date.now() + 5_000)
    expect(row?.updatedAt).toBeGreaterThanOrEqual(row?.createdAt ?? Infinity)
    expect(value(await store().row(newSession(), signal))).toBeUndefined()
  })

  it('shares the entries of a parent with its forks, and forks of forks', async () => {
    const first = await finished(store(), ['1', '2', '3', '4'])
    const second = await fork(first, 3)
    expect(await leaseOf(store(), second)).toMatchObject({
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
    expect(await leaseOf(store(), child)).toMatchObject({
      parked: false,
      messages: 0,
      state: '{"v":1,"kind":"idle"}',
    })
    expect(value(await store().accept(message(child), signal))).toMatchObject({
      claimed: true,
      lease: { head: 1 },
    })
  })

  it('removes a session, and lets it be made anew', async () => {
    const ref = newSession()
    await finished(store(), ['a'], ref)
    expect(value(await store().remove(ref, signal))).toBe(true)
    expect(value(await store().lease(ref, signal))).toBeUndefined()
    expect(await bodiesOf(store(), ref)).toEqual([])
    expect(value(await store().remove(ref, signal))).toBe(false)
    await finished(store(), ['b'], ref)
    expect(await bodiesOf(store(), ref)).toEqual(['b'])
  })

  it('does not remove a session with a run, or with work that waits', async () => {
    const { lease } = await claimed(store())
    expect(value(await store().remove(lease, signal))).toBe(false)
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
    const lease = await finished(store(), ['ours'], ours)
    expect(value(await store().lease(theirs, signal))).toBeUndefined()
    expect(value(await store().row(theirs, signal))).toBeUndefined()
    expect(await bodiesOf(store(), theirs)).toEqual([])
    expect(value(await store().inbox(theirs, signal))).toEqual([])
    expect(value(await store().update(theirs, { title: 'stolen' }, signal))).toBe(false)
    expect(value(await store().remove(theirs, signal))).toBe(false)
    expect(value(await store().fork(theirs, sessionId(newKey()), 1, CREATE, signal))).toBe(false)
    expect(value(await store().accept(control(theirs), signal))).toEqual({
      fresh: false,
      claimed: false,
    })
    expect(value(await store().commit(commit({ ...lease, ...theirs }, ['x']), signal))).toEqual({
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
  const { lease } = value(await store.accept(item, signal))
  if (lease)
    written(
      await store.commit(
        commit(lease, bodies, { acknowledged: { messages: [item.key], controls: [] }, end: 'end' }),
        signal,
      ),
    )
}

async function pages(
  store: SessionStore,
  tenant: TenantId,
  limit: number,
): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = []
  for (let cursor: string | undefined; ;) {
    const page = value(
      await store.list(tenant, { limit, ...(cursor !== undefined && { cursor }) }, signal),
    )
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    rows.push(...page.rows)
    cursor = page.next
    if (cursor === undefined) return rows
  }
}

async function inTurn<T, U>(
  items: readonly T[],
  work: (item: T) => Promise<U>,
): Promise<readonly U[]> {
  const done: U[] = []
  for (const item of items) {
    done.push(await work(item))
    await sleep(2) // the order is that of the clock
  }
  return done
}
