import { describe, expect, test } from 'vitest'
import {
  definePlugin,
  explain,
  hooksOf,
  Inspector,
  Kernel,
  use,
  type JournalEntry,
  type KernelFacts,
  type ModelCall,
  type PreparedCall,
  type RunContext,
  type SetupApi,
} from '../src/index.ts'
import { verdict } from '../src/loop/index.ts'

// Taps of other plugins may return anything at run time.
const rubbish = (value: unknown): never => value as never

describe('the catalogue checks what taps return', () => {
  const call = { id: 'c1', tool: { name: 'store' }, args: {} } as unknown as PreparedCall
  const ctx = {} as unknown as RunContext

  const withTap = async (setup: (k: SetupApi) => void): Promise<KernelFacts['generation']> => {
    const created = await Kernel.create([
      use(definePlugin({ name: 'tapper', version: '1.0.0', setup })),
    ])
    if (!created.ok) throw new Error(explain(created.error))
    return created.value.scope.get(Inspector).facts().generation
  }

  test('a verdict is only ever raised', async () => {
    const raised = await withTap(({ hooks }) =>
      hooks.tool.guard.tap((before) => before.raise('review', 'big'), { stage: 'guard' }),
    )
    expect(await hooksOf(raised).tool.guard.call(verdict('confirm'), call, ctx)).toMatchObject({
      ok: true,
      value: { level: 'review', reasons: ['big'] },
    })
    const lowered = await withTap(({ hooks }) => hooks.tool.guard.tap(() => verdict('allow')))
    expect(await hooksOf(lowered).tool.guard.call(verdict('deny'), call, ctx)).toMatchObject({
      ok: false,
      error: { plugin: 'tapper', code: 'BAD_VALUE' },
    })
    const malformed = await withTap(({ hooks }) =>
      hooks.tool.guard.tap(() => rubbish({ level: 'sure' })),
    )
    expect(await hooksOf(malformed).tool.guard.call(verdict(), call, ctx)).toMatchObject({
      ok: false,
      error: { code: 'BAD_VALUE' },
    })
  })

  test('a state is left and entered by legal moves only', async () => {
    const done = { kind: 'done', reason: 'budget_exceeded' } as const
    const legal = await withTap(({ hooks }) => {
      hooks.state.enter.thinking.tap(() => done)
      hooks.state.leave.executing.tap((exit) => ({ ...exit, to: { kind: 'thinking', step: 2 } }))
    })
    expect(await legal.hooks.state.enter.thinking.call({ kind: 'thinking', step: 1 }, ctx)).toEqual(
      { ok: true, value: done },
    )
    expect(
      await legal.hooks.state.leave.executing.call(
        { to: done, entries: [] },
        { kind: 'executing', step: 1, calls: [] },
        ctx,
      ),
    ).toMatchObject({ ok: true, value: { to: { kind: 'thinking' } } })
    const illegal = await withTap(({ hooks }) => {
      hooks.state.enter.compacting.tap(() => ({ kind: 'executing', step: 1, calls: [] }))
      hooks.state.leave.streaming.tap((exit) => ({ ...exit, to: rubbish({ kind: 'nowhere' }) }))
    })
    expect(
      await illegal.hooks.state.enter.compacting.call(
        { kind: 'compacting', step: 1, cause: 'threshold' },
        ctx,
      ),
    ).toMatchObject({
      ok: false,
      error: {
        code: 'BAD_VALUE',
        message: expect.stringContaining('moved from compacting to executing'),
      },
    })
    expect(
      await illegal.hooks.state.leave.streaming.call(
        { to: done, entries: [] },
        { kind: 'streaming', step: 1 },
        ctx,
      ),
    ).toMatchObject({ ok: false, error: { code: 'BAD_VALUE' } })
  })

  test('an entry keeps its identity; its text may change', async () => {
    const entry = {
      v: 1,
      kind: 'note',
      run: 'r1',
      at: 5,
      code: 'x',
      text: 'my key is 123',
    } as unknown as JournalEntry
    const scrub = await withTap(({ hooks }) =>
      hooks.journal.write.tap((old) =>
        old.kind === 'note' ? { ...old, text: 'my key is [gone]' } : undefined,
      ),
    )
    expect(scrub.hooks.journal.write.call(entry, ctx)).toMatchObject({
      ok: true,
      value: { text: 'my key is [gone]', at: 5 },
    })
    const forge = await withTap(({ hooks }) =>
      hooks.journal.write.tap((old) => ({ ...old, at: 6 })),
    )
    expect(forge.hooks.journal.write.call(entry, ctx)).toMatchObject({
      ok: false,
      error: { plugin: 'tapper', code: 'BAD_VALUE' },
    })
  })

  test('an event keeps its type', async () => {
    const now = await withTap(({ hooks }) =>
      hooks.event.emit.tap((event) =>
        event.type === 'text_delta'
          ? { ...event, content: 'changed' }
          : { type: 'done', reason: 'error' },
      ),
    )
    expect(hooksOf(now).event.emit.call({ type: 'text_delta', content: 'x' }, ctx)).toEqual({
      ok: true,
      value: { type: 'text_delta', content: 'changed' },
    })
    expect(hooksOf(now).event.emit.call({ type: 'warning', message: 'x' }, ctx)).toMatchObject({
      ok: false,
      error: { code: 'BAD_VALUE' },
    })
  })

  test('a stream transform has push and flush', async () => {
    const now = await withTap(({ hooks }) => hooks.model.stream.tap(() => rubbish({ push: 1 })))
    expect(hooksOf(now).model.stream.call({} as unknown as ModelCall, ctx)).toMatchObject({
      ok: false,
      error: { code: 'BAD_VALUE' },
    })
  })
})
