import { serve } from '@hono/node-server'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { Kernel, SessionStore, unwrap, explain, use, type JsonObject } from '@amodal/sdk'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeServer } from './servers/modern.ts'
import { agentWith, idOf, modern, odd, until } from './support/agent.ts'
import { Journal } from './support/journal.ts'

const answering =
  (answers: JsonObject) =>
  (asked: { readonly type: string }): JsonObject =>
    asked.type === 'ask_user' ? { answers } : { approved: true }

describe('a server that asks in the middle of a call', () => {
  it('is held open until the answer is there, and the person sees who asks', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    const turn = await agent.call(
      'odd__ask',
      { n: 1 },
      { answer: answering({ colour: 'blue', shade: 3 }) },
    )
    expect(turn.result).toBe(
      'it was told {"action":"accept","content":{"colour":"blue","shade":3}}',
    )
    // one approval for both
    expect(turn.asked.map(({ type }) => type)).toEqual(['confirmation_required', 'ask_user'])
    expect(turn.asked[1]).toMatchObject({
      questions: [
        {
          id: 'colour',
          type: 'choice',
          text: expect.stringMatching(/^"odd" asks, for ask: Which colour/),
          options: [
            { label: 'Red', value: 'red' },
            { label: 'Blue', value: 'blue' },
          ],
        },
        {
          id: 'shade',
          type: 'text',
          text: 'shade [1 to 9] (optional)',
          required: false,
          schema: { type: 'number', minimum: 1, maximum: 9 },
        },
        {
          id: '_action',
          options: [{ value: 'accept' }, { value: 'decline' }, { value: 'cancel' }],
        },
      ],
    })
    expect(journal.of('call')).toEqual(['ask {"n":1}'])
    expect(journal.of('answered')).toEqual([
      '{"action":"accept","content":{"colour":"blue","shade":3}}',
    ])
  })

  it('gets the call made anew where the answer takes longer than it can be held', async () => {
    const journal = new Journal()
    const agent = await agentWith({
      connections: { odd: odd(`journal=${journal.path}`) },
      config: { holdMs: 50 },
    })
    const open = await agent.call(
      'odd__ask',
      { n: 1 },
      { answer: (asked) => (asked.type === 'ask_user' ? undefined : { approved: true }) },
    )
    await until(() => journal.of('answered').length === 1)
    const turn = await agent.answer(open.session, idOf(open.asked[1]!), {
      answers: { colour: 'blue' },
    })
    expect(turn.events).toContainEqual(
      expect.objectContaining({
        type: 'tool_call_result',
        result: 'it was told {"action":"accept","content":{"colour":"blue"}}',
      }),
    )
    expect(journal.of('call')).toHaveLength(2)
    expect(journal.of('answered')).toEqual([
      '{"action":"cancel"}',
      '{"action":"accept","content":{"colour":"blue"}}',
    ])
  })

  it('holds up nobody else while it waits, and hears of a turn that is stopped', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    const open = await agent.call(
      'odd__ask',
      { n: 1 },
      { answer: (asked) => (asked.type === 'ask_user' ? undefined : { approved: true }) },
    )
    expect((await agent.call('odd__act')).result).toBe('act did {}')
    expect(
      (await agent.call('odd__ask', { n: 2 }, { answer: answering({ colour: 'red' }) })).result,
    ).toBe('it was told {"action":"accept","content":{"colour":"red"}}')
    await agent.cancel(open.session)
    await until(() => journal.of('answered').includes('{"action":"cancel"}'))
    expect(journal.of('call')).toHaveLength(3)
  })

  it('shows its whole form, fills in what it proposes, and gets nothing that does not fit', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    const open = await agent.call(
      'odd__form',
      {},
      { answer: (asked) => (asked.type === 'ask_user' ? undefined : { approved: true }) },
    )
    expect(open.asked[1]).toMatchObject({
      questions: [
        { id: 'email', required: true, schema: { format: 'email' } },
        {
          id: 'code',
          required: true,
          schema: { pattern: '^[A-Z]{2}-\\d+$', minLength: 4, maxLength: 8 },
        },
        { id: 'day', required: false, default: '2026-07-28', schema: { format: 'date' } },
        { id: 'count', default: 2, schema: { type: 'integer', minimum: 1, maximum: 5 } },
        { id: 'sure', type: 'boolean', default: true },
        { id: 'tags', type: 'multi', default: ['a'], schema: { minItems: 1, maxItems: 2 } },
        { id: '_action' },
      ],
    })
    const answer = (answers: JsonObject) =>
      agent.answer(open.session, idOf(open.asked[1]!), {
        answers: {
          _action: 'accept',
          email: 'ada@example.com',
          code: 'AB-12',
          sure: false,
          ...answers,
        },
      })
    const wrong: readonly JsonObject[] = [
      { email: 'nobody' },
      { code: 'x' },
      { code: 'ab-12' },
      { day: '2026-02-30' },
      { count: 6 },
      { tags: [] },
    ]
    for (const one of wrong)
      await expect(answer(one)).rejects.toThrow(`answer.answers.${Object.keys(one).join()}: `)
    await answer({})
    expect(journal.of('answered')).toEqual([
      '{"action":"accept","content":{"email":"ada@example.com","code":"AB-12","day":"2026-07-28","count":2,"sure":false,"tags":["a"]}}',
    ])
    expect(journal.of('call')).toHaveLength(1)
  })

  it('hears of a refusal', async () => {
    const agent = await agentWith({ connections: { odd: odd() } })
    expect(
      (await agent.call('odd__ask', {}, { answer: answering({ _action: 'decline' }) })).result,
    ).toBe('it was told {"action":"decline"}')
  })

  it('asks on as long as something is missing, and refuses what does not fit', async () => {
    const agent = await agentWith({ connections: { odd: odd() } })
    let times = 0
    const turn = await agent.call(
      'odd__ask',
      {},
      {
        answer: (asked) =>
          asked.type !== 'ask_user'
            ? { approved: true }
            : { answers: ++times === 1 ? { shade: 1 } : { colour: 'red' } },
      },
    )
    expect(turn.asked).toHaveLength(3)
    expect(turn.asked[2]).toMatchObject({
      questions: [
        expect.objectContaining({ text: expect.stringContaining('still needed: colour') }),
        expect.anything(),
        expect.anything(),
      ],
    })
    expect(turn.result).toContain('"colour":"red"')
    const open = await agent.call(
      'odd__ask',
      {},
      { answer: (asked) => (asked.type === 'ask_user' ? undefined : { approved: true }) },
    )
    await expect(
      agent.answer(open.session, idOf(open.asked[1]!), { answers: { colour: 'green' } }),
    ).rejects.toThrow(/must be one of/)
  })

  it('is asked one call at a time, so that nobody answers for somebody else', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    await agent.call('odd__ask', { n: 0 }, { answer: answering({ colour: 'red' }) })
    const both = await Promise.all(
      [1, 2].map((n) =>
        agent.call('odd__ask', { n }, { answer: answering({ colour: n === 1 ? 'red' : 'blue' }) }),
      ),
    )
    expect(both.map(({ result }) => result)).toEqual([
      'it was told {"action":"accept","content":{"colour":"red"}}',
      'it was told {"action":"accept","content":{"colour":"blue"}}',
    ])
  })

  it('finds the answer after a restart', async () => {
    const keeper = unwrap(await Kernel.create([use(sessionsMemory)]), explain)
    onTestFinished(async () => void (await keeper.close()))
    const store = keeper.scope.get(SessionStore)
    const journal = new Journal()
    const connections = { odd: odd(`journal=${journal.path}`) }
    const first = await agentWith({ connections, store })
    const open = await first.call(
      'odd__ask',
      { n: 7 },
      { answer: (asked) => (asked.type === 'ask_user' ? undefined : { approved: true }) },
    )
    await until(() => journal.of('call').length === 1)
    await first.close()

    const second = await agentWith({ connections, store })
    const turn = await second.answer(open.session, idOf(open.asked[1]!), {
      answers: { colour: 'blue' },
    })
    expect(turn.events).toContainEqual(
      expect.objectContaining({
        type: 'tool_call_result',
        result: 'it was told {"action":"accept","content":{"colour":"blue"}}',
      }),
    )
  })
})

describe('the newest protocol', () => {
  it('over stdio: asks by ending the call, answers with data, tells new tools', async () => {
    const agent = await agentWith({ connections: { modern: { ...modern(), trust: true } } })
    expect(await agent.tools()).toEqual([
      'modern__deploy',
      'modern__sum',
      'modern__borrow',
      'modern__think',
      'modern__publish',
      'modern__grow',
      'modern__list_resources',
      'modern__read_resource',
    ])
    expect((await agent.get('/inspect/mcp/modern')).body).toMatchObject({ protocol: '2026-07-28' })
    const sum = await agent.call('modern__sum', { a: 1, b: 2 })
    expect([sum.asked, sum.result]).toEqual([[], '{"sum":3}'])
    const deploy = await agent.call(
      'modern__deploy',
      { env: 'prod' },
      { answer: answering({ confirm: true, note: 'at last' }) },
    )
    expect(deploy.asked.map(({ type }) => type)).toEqual(['confirmation_required', 'ask_user'])
    expect(deploy.result).toBe('deployed to prod (at last)')
    expect((await agent.call('modern__borrow')).error).toMatch(/sampling/i)
    expect((await agent.get('/inspect/mcp/modern')).body).toMatchObject({ status: 'ready' })
    await agent.call('modern__grow')
    expect(await until(async () => (await agent.tools()).includes('modern__trick'))).toBe(true)
  })

  it('over HTTP', async () => {
    const handler = createMcpHandler(makeServer)
    const server = serve({
      fetch: (request) => handler.fetch(request),
      port: 0,
      hostname: '127.0.0.1',
    })
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
    })
    const address = server.address()
    const agent = await agentWith({
      connections: {
        remote: {
          url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`,
          trust: true,
        },
      },
    })
    expect((await agent.call('remote__sum', { a: 2, b: 3 })).result).toBe('{"sum":5}')
    expect((await agent.get('/inspect/mcp/remote')).body).toMatchObject({
      protocol: '2026-07-28',
      transport: 'http',
    })
    expect(
      (
        await agent.call(
          'remote__deploy',
          { env: 'test' },
          { answer: answering({ confirm: false }) },
        )
      ).result,
    ).toBe('left alone')
    expect((await agent.call('remote__sum', { a: 'x' })).error).toMatch(/invalid/i)
  })
})
