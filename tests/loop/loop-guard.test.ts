import loopGuard from '@amodal/plugin-loop-guard'
import { type JsonObject, use } from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { looks, mainCalls, openLooking, sessionOf, textOf, typed } from './support/looking.ts'

const call = (args: JsonObject): Reply => reply.toolCalls({ name: 'look', arguments: args })
/** Results as the model sees them, the first one first. */
const results = (request: ChatCompletionRequest | undefined): readonly string[] =>
  request?.messages.filter(({ role }) => role === 'tool').map(contentText) ?? []

describe('calls that are alike', () => {
  const texts = [
    'open invoices of acme',
    'Open  invoices of ACME',
    'invoices open: acme?',
    'the open invoices for acme',
  ]
  test.each<readonly [string, (n: number) => JsonObject]>([
    ['the same', () => ({ id: 7 })],
    [
      'in another order and with nothings',
      (n) => (n % 2 === 0 ? { id: 7, q: 'x' } : { q: 'X ', id: 7, more: '' }),
    ],
    ['said a little differently', (n) => ({ q: texts[n % texts.length] ?? '' })],
  ])(
    '%s: the model is told at 3, the tool is blocked at 5, the run ends at 8',
    async (_how, args) => {
      const door = await openLooking((_request, n) => call(args(n)))
      const events = await door.stream('go')
      expect(typed(events, 'done')).toMatchObject([{ reason: 'loop_detected' }])
      expect(typed(events, 'error')).toMatchObject([{ code: 'LOOP_DETECTED' }])
      expect(typed(events, 'tool_call_result').map(({ status }) => status)).toEqual([
        'success',
        'success',
        'success',
        'success',
        'error',
        'error',
        'error',
        'error',
      ])
      // Clients get the result as it is.
      expect(typed(events, 'tool_call_result')[2]).toMatchObject({ result: 'nothing' })
      const seen = results(mainCalls(door).at(-1))
      expect(seen.slice(0, 2)).toEqual(['nothing', 'nothing'])
      expect(seen[2]).toContain('[You have called "look" 3 times in the same way.')
      expect(seen[4]).toContain('is blocked for the rest of this run')
    },
  )

  test.each<readonly [string, (n: number) => JsonObject]>([
    ['pages', (n) => ({ q: 'open invoices of acme', page: n })],
    ['cursors', (n) => ({ q: 'open invoices of acme', cursor: `c${n}` })],
    ['ids', (n) => ({ id: `inv-${n}` })],
    ['other customers', (n) => ({ q: `open invoices of customer ${'abcdefghijkl'[n] ?? ''}` })],
  ])('%s are not', async (_what, args) => {
    const door = await openLooking((_request, n) => (n < 12 ? call(args(n)) : reply.text('done')))
    const events = await door.stream('go')
    expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(textOf(mainCalls(door).at(-1))).not.toContain('You have called')
  })

  test('a tool that is not there counts too, and the next message begins anew', async () => {
    const door = await openLooking((request, n) =>
      contentText(request.messages.findLast(({ role }) => role === 'user')) === 'next'
        ? reply.text('hello')
        : reply.toolCalls({ name: `nowhere`, arguments: { n: n % 1 } }),
    )
    const events = await door.stream('go')
    expect(typed(events, 'done')).toMatchObject([{ reason: 'loop_detected' }])
    expect(mainCalls(door)).toHaveLength(8)
    const session = sessionOf(events)
    expect(typed(await door.stream('next', { session_id: session }), 'done')).toMatchObject([
      { reason: 'model_stop' },
    ])
  })

  test('tools that are exempt may be called as often as they like', async () => {
    const door = await openLooking((_request, n) => (n < 12 ? call({}) : reply.text('done')), {
      entries: [use(loopGuard, { exempt: ['look'] })],
    })
    expect(typed(await door.stream('go'), 'done')).toMatchObject([{ reason: 'model_stop' }])
  })
})

describe('limits.maxToolCalls', () => {
  test('calls beyond it do not run, and the run ends with its reason', async () => {
    let ran = 0
    const many = reply.toolCalls([1, 2, 3].map((page) => ({ name: 'look', arguments: { page } })))
    const door = await openLooking((_request, n) => (n === 0 ? many : looks(10 + n)), {
      look: () => ++ran,
      manifest: { limits: { maxTurns: 50, maxToolCalls: 4 } },
    })
    const events = await door.stream('go')
    expect(ran).toBe(4)
    expect(typed(events, 'done')).toMatchObject([{ reason: 'budget_exceeded' }])
    expect(typed(events, 'error')).toMatchObject([{ code: 'BUDGET_EXCEEDED' }])
  })

  test('who stops in time is not cut short', async () => {
    const door = await openLooking((_request, n) => (n < 4 ? looks(n) : reply.text('done')), {
      manifest: { limits: { maxTurns: 50, maxToolCalls: 4 } },
    })
    expect(typed(await door.stream('go'), 'done')).toMatchObject([{ reason: 'model_stop' }])
  })
})

describe('progress, judged by a model', () => {
  const judged = (request: ChatCompletionRequest): boolean =>
    contentText(request.messages[0]).startsWith('You judge whether')
  const slowly = { delay: 100 }

  test('where it finds none twice, the run ends; the model was told before', async () => {
    const door = await openLooking(
      (request, n) =>
        judged(request)
          ? reply.text('STUCK')
          : reply.toolCalls({ name: 'look', arguments: { n } }, slowly),
      { entries: [use(loopGuard, { progressEvery: 2 })] },
    )
    const events = await door.stream('go')
    expect(typed(events, 'done')).toMatchObject([{ reason: 'loop_detected' }])
    expect(textOf(mainCalls(door).at(-1))).toContain(
      'A review of your last steps finds no progress',
    )
  })

  test('where it finds some, or cannot say, the run goes on', async () => {
    let asked = 0
    const door = await openLooking(
      (request, n) =>
        judged(request)
          ? reply.text(['PROGRESS', 'well', 'STUCK', 'PROGRESS'][asked++] ?? 'PROGRESS')
          : n < 16
            ? reply.toolCalls({ name: 'look', arguments: { n } }, slowly)
            : reply.text('done'),
      { entries: [use(loopGuard, { progressEvery: 2 })] },
    )
    expect(typed(await door.stream('go'), 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(asked).toBeGreaterThan(2)
  })

  test('it is asked by default, after every sixth turn of tools', async () => {
    const door = await openLooking(
      (request, n) =>
        judged(request)
          ? reply.text('STUCK')
          : reply.toolCalls({ name: 'look', arguments: { n } }, slowly),
      { judged: true },
    )
    expect(typed(await door.stream('go'), 'done')).toMatchObject([{ reason: 'loop_detected' }])
    expect(door.model.requests.filter(({ body }) => judged(body))).toHaveLength(2)
    expect(mainCalls(door).length).toBeGreaterThanOrEqual(12)
  })

  test('it is not asked of a short run, nor where it is turned off', async () => {
    for (const [turns, entries] of [
      [5, []],
      [12, [use(loopGuard, { progressEvery: 0 })]],
    ] as const) {
      const door = await openLooking((_request, n) => (n < turns ? looks(n) : reply.text('done')), {
        entries,
        judged: true,
      })
      await door.stream('go')
      expect(door.model.requests.every(({ body }) => !judged(body))).toBe(true)
    }
  })
})
