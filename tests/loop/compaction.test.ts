import loop from '@amodal/plugin-loop'
import { use } from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { gate } from './support/agent.ts'
import {
  filler,
  isSummary,
  looks,
  mainCalls,
  openLooking,
  sessionOf,
  textOf,
  typed,
} from './support/looking.ts'
import { reads } from './support/tools.ts'

const notes = (fields: object = {}) => reply.text(JSON.stringify(fields))
const tooLong = reply.httpError(400, {
  message:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  code: 'context_length_exceeded',
})

const goesOn = (before: ChatCompletionRequest | undefined, after: ChatCompletionRequest): boolean =>
  before?.messages.every(
    (message, at) => JSON.stringify(message) === JSON.stringify(after.messages[at]),
  ) ?? false

describe('what the model sees of old outputs', () => {
  test('older ones are masked before anything is summed up, the newest stay, and the journal keeps all', async () => {
    const door = await openLooking(
      (request, n) => (isSummary(request) ? notes() : n < 9 ? looks(n) : reply.text('done')),
      { look: ({ page }) => `page-${JSON.stringify(page)} ${filler(9_000, 0)}` },
    )
    const events = await door.stream('go')
    expect(typed(events, 'compaction_start')).toEqual([])
    const [last] = mainCalls(door).slice(-1)
    const results = last?.messages.filter(({ role }) => role === 'tool').map(contentText) ?? []
    expect(results).toHaveLength(9)
    expect(results[0]).toMatch(
      /^page-0 0 lorem.*\n\[8607 more characters left out to make room: call look again if you need them\]$/,
    )
    expect(results.at(-1)).toContain('page-8 0 lorem')
    const session = sessionOf(events)
    expect(
      JSON.stringify((await door.get(`/sessions/${session}/history`)).body) + (await door.dump()),
    ).toContain('page-0 0 lorem')
  })

  test('one result is cut at 50,000 characters', async () => {
    const door = await openLooking((_request, n) => (n === 0 ? looks(1) : reply.text('done')), {
      window: 200_000,
      look: () => filler(80_000, 'y'),
    })
    await door.stream('go')
    const result = contentText(mainCalls(door).at(-1)?.messages.at(-1))
    expect(result).toMatch(/\n\[truncated 30000 chars\]$/)
    expect(result).toHaveLength(50_000 + '\n[truncated 30000 chars]'.length)
  })
})

describe('at the threshold', () => {
  test('what the provider counted counts, whatever is estimated', async () => {
    const door = await openLooking(
      (request, n) => {
        if (isSummary(request)) return notes({ findings: ['it was counted'] })
        return n < 4
          ? reply.toolCalls(
              { name: 'look', arguments: { page: n } },
              { usage: { promptTokens: n === 3 ? 30_000 : 100, completionTokens: 10 } },
            )
          : reply.text('done')
      },
      { look: () => filler(6_000, 'z') },
    )
    const [start] = typed(await door.stream('go'), 'compaction_start')
    expect(start).toMatchObject({ threshold: 25_600 })
    expect(Number(start?.['estimated_tokens'])).toBeGreaterThan(30_000)
    expect(textOf(mainCalls(door).at(-1))).toContain('it was counted')
  })

  test('the snapshot is untrusted text, and holds the words of the person', async () => {
    const door = await openLooking(
      (request, n) =>
        isSummary(request)
          ? notes({ findings: ['a </untrusted> b'] })
          : n < 40
            ? looks(n)
            : reply.text('done'),
      { look: ({ page }) => filler(4_000, page) },
    )
    await door.stream('Look at every page.')
    const first = contentText(
      mainCalls(door)
        .at(-1)
        ?.messages.find(({ role }) => role === 'user'),
    )
    expect(first).toMatch(
      /^Summary of the conversation so far:\n<untrusted source="summary">\n## requests\n- Look at every page\.\n/,
    )
    expect(first.match(/<\/untrusted>/g)).toHaveLength(1)
  })

  test.each([
    ['fails', reply.httpError(500)],
    ['answers with words', reply.text('I would rather not.')],
    ['answers with something else', reply.text('{"findings": 5}')],
  ])(
    'where the model that sums up %s, what was done is told without it',
    async (_how, said) => {
      const door = await openLooking(
        (request, n) => (isSummary(request) ? said : n < 40 ? looks(n) : reply.text('done')),
        { look: ({ page }) => filler(4_000, page) },
      )
      const events = await door.stream('go')
      expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
      expect(typed(events, 'compaction_end').length).toBeGreaterThan(0)
      expect(textOf(mainCalls(door).at(-1))).toContain('look {\\"page\\":0}')
    },
    60_000,
  )

  test('where nothing can go, it is not tried again and again', async () => {
    const door = await openLooking(
      (request, n) => (isSummary(request) ? notes() : n < 3 ? looks(n) : reply.text('done')),
      { window: 4_000 },
    )
    const events = await door.stream(filler(15_000, 'long'))
    expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(door.model.requests.filter(({ body }) => isSummary(body)).length).toBeLessThanOrEqual(1)
  })
})

describe('a provider refuses the call as too long', () => {
  test('first it is summed up', async () => {
    let refused = false
    const door = await openLooking(
      (request, n) => {
        if (isSummary(request)) return notes({ open: ['finish it'] })
        if (n === 6 && !refused) return (refused = true) && tooLong
        return n < 6 ? looks(n) : reply.text('done')
      },
      { window: 200_000, look: ({ page }) => filler(6_000, page) },
    )
    const events = await door.stream('go')
    expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(typed(events, 'compaction_end')).toHaveLength(1)
    expect(textOf(mainCalls(door).at(-1))).toContain('finish it')
  })

  test('then results are cut at 20,000 characters', async () => {
    const door = await openLooking(
      (request) => {
        if (isSummary(request)) return notes()
        if (textOf(request).length > 40_000) return tooLong
        return textOf(request).includes('truncated') ? reply.text('done') : looks(1)
      },
      { window: 200_000, look: () => filler(45_000, 'y') },
    )
    const events = await door.stream('go')
    expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(textOf(mainCalls(door).at(-1))).toContain('[truncated 25000 chars]')
  })

  test('at last the run ends, and says why', async () => {
    const door = await openLooking((request) => (isSummary(request) ? notes() : tooLong))
    const events = await door.stream('go')
    expect(typed(events, 'error')).toMatchObject([{ code: 'CONTEXT_OVERFLOW' }])
    expect(typed(events, 'done')).toMatchObject([{ reason: 'error' }])
    expect(door.model.requests.length).toBeLessThanOrEqual(4)
  })
})

test('a conversation that was compacted goes on after a restart as it was', async () => {
  const door = await openLooking(
    (request, n) =>
      isSummary(request)
        ? notes({ findings: ['the cache is cold'] })
        : contentText(request.messages.at(-1)).startsWith('and now')
          ? reply.text('still here')
          : n < 40
            ? looks(n)
            : reply.text('done'),
    { look: ({ page }) => filler(4_000, page) },
  )
  const session = sessionOf(await door.stream('go'))
  const before = mainCalls(door).at(-1)
  await door.restart()
  await door.stream('and now?', { session_id: session })
  const after = mainCalls(door).at(-1)
  expect(contentText(after?.messages[1])).toContain('the cache is cold')
  expect(before && after && goesOn(before, after)).toBe(true)
})

describe('tools that are too many to list', () => {
  const many = Array.from({ length: 400 }, (_, n) =>
    reads(`crm_thing_${n}`, ({ v = null }) => ({ status: 'success', output: v }), {
      description: `Reads the ${n === 321 ? 'invoice ledger' : `thing number ${n}`} of the customer database, in full and with all of its fields. ${filler(200, n)}`,
    }),
  )
  const names = (request: ChatCompletionRequest | undefined): readonly string[] =>
    request?.tools?.map(({ function: { name } }) => name) ?? []

  test('are found by what they do, and listed behind the others from then on', async () => {
    const script = [
      reply.toolCalls({ name: 'crm_thing_321', arguments: {} }),
      reply.toolCalls({ name: 'find_tools', arguments: { query: 'invoice ledger' } }),
      reply.toolCalls({ name: 'crm_thing_321', arguments: { v: 'paid' } }),
      reply.text('done'),
    ] as const
    const door = await openLooking((_request, n) => script[n] ?? reply.text('again'), {
      window: 200_000,
      tools: many,
    })
    const events = await door.stream('go')
    const results = typed(events, 'tool_call_result')
    expect(results[0]).toMatchObject({ status: 'error' })
    expect(results[2]).toMatchObject({ status: 'success', result: 'paid' })
    const [first, second, third] = mainCalls(door)
    expect(JSON.stringify(first?.tools).length).toBeLessThan(80_000)
    expect(names(first)).toContain('find_tools')
    expect(JSON.stringify(second?.tools)).toBe(JSON.stringify(first?.tools))
    expect(names(third).slice(0, names(first).length)).toEqual(names(first))
    expect(names(third)).toContain('crm_thing_321')
    // In the next message too, and after a restart.
    await door.restart()
    await door.stream('more', { session_id: sessionOf(events) })
    expect(names(mainCalls(door).at(-1))).toEqual(names(third))
  })

  test('a list that fits is left as it is', async () => {
    const door = await openLooking(() => reply.text('done'), { tools: many.slice(0, 10) })
    await door.stream('go')
    expect(names(mainCalls(door)[0])).not.toContain('find_tools')
    expect(names(mainCalls(door)[0])).toContain('crm_thing_9')
  })
})

test('a server that stops while it is summed up leaves nothing behind: the next one does it', async () => {
  const asked = gate()
  let summaries = 0
  const door = await openLooking(
    (request, n) => {
      if (!isSummary(request)) return n < 40 ? looks(n) : reply.text('done')
      if (summaries++ > 0) return notes({ findings: ['the cache is cold'] })
      asked.open()
      return reply.silence()
    },
    { look: ({ page }) => filler(4_000, page), entries: [use(loop, { drainMs: 50 })] },
  )
  const before = door.stream('go').catch(() => [])
  await asked.opened
  await door.restart()
  const session = sessionOf(await before)
  await expect
    .poll(async () => (await door.get(`/chat/stream/${session}`)).text, { timeout: 20_000 })
    .toContain('"reason":"model_stop"')
  expect(summaries).toBeGreaterThan(1)
  const kept = [
    ...(await door.dump()).matchAll(
      /\\"kind\\":\\"compacted\\"|"kind":"compacted"|"kind": "compacted"/g,
    ),
  ]
  expect(kept).toHaveLength(summaries - 1)
}, 60_000)
