import { expect, it } from 'vitest'
import {
  principalId,
  tenantId,
  sleep,
  type SessionId,
  type SessionRef,
  type TenantId,
} from '@amodal/kernel'
import { LISTED_KINDS, type SessionKind } from '../../ports/retention.ts'
import {
  SUBAGENT_META,
  type Page,
  type SessionRow,
  type SessionStore,
} from '../../ports/session-store.ts'
import { finished, message, newKey, newSession, parked, signal, value } from './subject.ts'

const CREATE = { principal: 'bob', title: 'A fork', meta: '{}' }

/** Lists of sessions, and their totals. */
export function listTests(store: () => SessionStore): void {
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
    for (const ann of anns)
      expect(value(await store().fork(ann, newSession().session, 1, CREATE, signal))).toBe(true)
    const of = async (principal: string, limit: number) =>
      value(await store().list(tenant, { limit, principal: principalId(principal) }, signal))
    // The order of two sessions of one millisecond is not defined.
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
      ).toEqual({ isNew: fresh, request: 'first' })
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
      isNew: true,
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
      const sessionRecord = await finished(store(), ['a'], { ...ref, tenant })
      const create = {
        principal: 'ann',
        title: 'Task',
        meta: JSON.stringify({ [SUBAGENT_META]: 'worker' }),
      }
      for (const _ of [1, 2, 3])
        value(await store().fork(sessionRecord, newSession().session, 0, create, signal))
      return sessionRecord
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
