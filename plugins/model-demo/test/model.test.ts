import { observeReply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { createDemoModel } from '../src/model.ts'
import { Conversation, NOTICE } from './agent.ts'
import { DEALS, TEXTS, TOOLS } from './tools.ts'

const ASK = {
  prompt: [
    { role: 'system' as const, content: TEXTS },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'List deals and tickets' }] },
  ],
  tools: TOOLS,
}

describe('as a language model', () => {
  test('says the same for the same prompt, in small pieces', async () => {
    const [one, two] = await Promise.all([
      observeReply(createDemoModel(NOTICE), ASK),
      observeReply(createDemoModel(NOTICE), ASK),
    ])
    expect(one?.parts).toEqual(two?.parts)
    expect(one?.failures).toEqual([])
    const hello = await observeReply(createDemoModel(NOTICE), {
      ...ASK,
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    })
    const deltas = hello.parts.filter((part) => part.type === 'text-delta')
    expect(deltas.length).toBeGreaterThan(20)
    expect(Math.max(...deltas.map((part) => part.delta.length))).toBeLessThan(60)
  })

  test('gives every call an id of its own, over a whole session', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      ids.push(...(await talk.say('List deals and tickets')).calls.map((call) => call.id))
      await talk.result(DEALS, DEALS)
    }
    expect(new Set(ids).size).toBe(6)
  })

  test('ends with calls or with text, and says which', async () => {
    expect((await observeReply(createDemoModel(NOTICE), ASK)).finish).toBe('tool-calls')
    expect((await observeReply(createDemoModel(NOTICE), { ...ASK, tools: [] })).finish).toBe('stop')
  })

  test('calls no tool where none may be called', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    talk.prompt.push({
      role: 'user',
      content: [{ type: 'text', text: 'Set the stage of deal d-1 to won' }],
    })
    const said = await talk.reply({ toolChoice: { type: 'none' } })
    expect(said.calls).toEqual([])
    expect(said.text.length).toBeGreaterThan(NOTICE.length + 10)
  })

  test('tells the results it has where no further call is allowed', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Set the stage of deal d-1 to won')
    talk.prompt.push({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'x',
          toolName: 'query_store',
          output: { type: 'json', value: DEALS },
        },
      ],
    })
    expect(await talk.reply({ toolChoice: { type: 'none' } })).toMatchObject({
      calls: [],
      text: expect.stringContaining('Acme'),
    })
  })

  test('reports usage by the length of what was said', async () => {
    const short = await observeReply(createDemoModel(NOTICE), { ...ASK, tools: [] })
    const long = await observeReply(createDemoModel(NOTICE), {
      ...ASK,
      prompt: [{ role: 'system', content: 'x'.repeat(40_000) }, ...ASK.prompt],
    })
    expect(short.usage?.inputTokens.total).toBeGreaterThan(50)
    expect(
      (long.usage?.inputTokens.total ?? 0) - (short.usage?.inputTokens.total ?? 0),
    ).toBeGreaterThan(10_000)
    expect(long.usage?.outputTokens.total).toBeGreaterThan(10)
  })

  test('ends when it is aborted', async () => {
    const stop = new AbortController()
    const seen = await observeReply(
      createDemoModel(NOTICE),
      { ...ASK, abortSignal: stop.signal },
      (part) => {
        if (part.type === 'text-delta') stop.abort()
      },
    )
    expect(seen.failures).toHaveLength(1)
    expect(seen.finish).toBeUndefined()
    expect(
      (await observeReply(createDemoModel(NOTICE), { ...ASK, abortSignal: AbortSignal.abort() }))
        .parts,
    ).toEqual([])
  })

  test('answers in one piece as it does in many', async () => {
    const { content, finishReason } = await createDemoModel(NOTICE).doGenerate(ASK)
    expect(content.filter((part) => part.type === 'tool-call')).toHaveLength(2)
    expect(finishReason.unified).toBe('tool-calls')
  })

  test('does not see the context that a page adds to a message', async () => {
    const prompt = [
      {
        role: 'user' as const,
        content: [
          { type: 'text' as const, text: 'Show the deals\n\n<context>\npage: tickets\n</context>' },
        ],
      },
    ]
    const seen = await observeReply(createDemoModel(NOTICE), { prompt, tools: TOOLS })
    expect(seen.calls.map((call) => call.input)).toEqual(['{"store":"deals"}'])
  })

  test('survives any schema and any message', async () => {
    const strange = [
      {},
      { type: 'object' },
      { properties: 1 },
      {
        type: 'object',
        properties: {
          a: true,
          b: { $ref: '#/x/y' },
          c: { anyOf: [{ type: 'null' }, { enum: [1, null, 'deals'] }] },
          '(+': { type: 'string' },
          '': {},
        },
        required: ['(+', 'zz'],
      },
    ]
    const loop: Record<string, unknown> = { type: 'object', properties: { self: { $ref: '#' } } }
    const tools = [...strange, loop].map((inputSchema, n) => ({
      type: 'function' as const,
      name: `read_deals_${n}`,
      inputSchema: JSON.parse(JSON.stringify(inputSchema)),
    }))
    for (const text of [
      'Show the deals',
      '((((',
      '"'.repeat(99),
      'a: '.repeat(500),
      '\u0000\ud800',
      'x'.repeat(50_000),
    ]) {
      const seen = await observeReply(createDemoModel(NOTICE), {
        prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
        tools,
      })
      expect(seen.failures).toEqual([])
    }
  })
})
