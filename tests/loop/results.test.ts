import limitsPlugin from '@amodal/plugin-limits'
import {
  isList,
  isObject,
  use,
  type Persistence,
  type ToolContent,
  type ToolDefinition,
} from '@amodal/sdk'
import { contentText, reply, type Reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent, type TestAgentOptions } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { mainCalls, openLooking, textOf, typed } from './support/looking.ts'
import { textIn } from '../security/support/door.ts'
import { sharedStore } from './support/store.ts'
import { reads, success } from './support/tools.ts'

const FOUND = 'the needle is here'
const find = (output: string, persistence?: Persistence): ToolDefinition =>
  reads('find', () => success(output), persistence ? { resultPersistence: persistence } : {})
/** Finds something at the first message, and says so. */
const start = (options: TestAgentOptions): Promise<TestAgent> =>
  startTestAgent({
    script: ({ said, results }) =>
      said === 'find it' && Object.keys(results).length === 0
        ? { calls: [{ name: 'find', id: `f-${Math.random()}` }] }
        : { text: 'well' },
    ...options,
  })
const seen = (agent: TestAgent): string => JSON.stringify(agent.model.asked.at(-1)?.prompt)

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

describe('content of results', () => {
  const image = { type: 'image', mimeType: 'image/jpeg', data: PNG } as const
  const draws = (content: readonly ToolContent[]): ToolDefinition =>
    reads('find', () => ({ status: 'success', output: 'for the model', content }))

  test('images reach the model as what they are, here, after a restart and in a fork', async () => {
    const store = await sharedStore()
    const options = {
      store,
      tools: [
        draws([
          image,
          { ...image, audience: 'user' },
          { type: 'image', mimeType: 'image/png', data: 'bm9uZQ==' },
        ]),
      ],
    }
    const first = await start(options)
    const { session } = await first.say('find it')
    const shown = {
      type: 'content',
      value: [
        { type: 'text', text: 'for the model' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
      ],
    }
    const result = (agent: TestAgent): unknown =>
      agent.model.asked
        .at(-1)
        ?.prompt.flatMap((message) => (message.role === 'tool' ? message.content : []))
    expect(result(first)).toMatchObject([{ output: shown }])
    await first.close()
    const second = await start(options)
    await second.say('again', session)
    expect(result(second)).toMatchObject([{ output: shown }])
  })

  test('what is for one of them alone reaches the other neither live nor from the journal', async () => {
    const store = await sharedStore()
    const agent = await start({
      store,
      tools: [
        draws([
          { type: 'text', text: 'for the model', audience: 'model' },
          { type: 'text', text: 'for people', audience: 'user' },
          { ...image, audience: 'model' },
        ]),
      ],
    })
    const { session, events } = await agent.say('find it')
    expect(seen(agent)).toContain(PNG)
    expect(seen(agent)).not.toContain('for people')
    const entries = given(await agent.face.session(session)).entries
    for (const told of [events, entries]) {
      expect(JSON.stringify(told)).toContain('for people')
      expect(JSON.stringify(told)).not.toContain('for the model')
      expect(JSON.stringify(told)).not.toContain(PNG)
    }
  })
})

describe('ephemeral results', () => {
  test('are seen in the run they came in, and in none after it: here, after a restart, and in a fork', async () => {
    const store = await sharedStore()
    const options = { store, tools: [find(FOUND, 'ephemeral')] }
    const first = await start(options)
    const { session } = await first.say('find it')
    expect(seen(first)).toContain(FOUND)
    await first.say('and now?', session)
    const later = seen(first)
    expect(later).not.toContain(FOUND)
    expect(later).toContain('call find again if you need it')
    // The journal has it all the same.
    expect(only(await first.journal(session), 'tool_outcome')).toMatchObject([
      { output: FOUND, ephemeral: true },
    ])
    await first.close()

    const second = await start(options)
    const fork = given(await second.face.fork(session, undefined)).session
    await second.say('again', session)
    expect(seen(second)).not.toContain(FOUND)
    await second.say('again', fork)
    expect(seen(second)).not.toContain(FOUND)
  })
})

test.each<readonly [Persistence | undefined, number, 'kept' | 'forgotten' | 'an error']>([
  [undefined, 9_000, 'kept'],
  ['persisted', 4_999, 'kept'],
  ['persisted', 5_000, 'an error'],
  ['persisted-preferred', 4_999, 'kept'],
  ['persisted-preferred', 5_000, 'forgotten'],
])('%s, %i characters: %s', async (persistence, size, comes) => {
  const text = FOUND.padEnd(size, '.')
  const agent = await start({ tools: [find(text, persistence)] })
  const { session } = await agent.say('find it')
  expect(seen(agent).includes(text)).toBe(comes !== 'an error')
  expect(Object.values(outcomes(await agent.journal(session)))).toEqual([
    comes === 'an error' ? 'error' : 'success',
  ])
  if (comes === 'an error')
    expect(only(await agent.journal(session), 'tool_outcome')).toMatchObject([
      { code: 'RESULT_TOO_LARGE', output: expect.stringContaining('"find" ran') as string },
    ])
  await agent.say('and now?', session)
  expect(seen(agent).includes(text)).toBe(comes === 'kept')
})

describe('maxHistory', () => {
  test.each([
    [0, ['three']],
    [1, ['two', 'three']],
    [undefined, ['one', 'two', 'three']],
  ] as const)('%s: that many exchanges before the newest are seen', async (maxHistory, said) => {
    const agent = await startTestAgent({
      limits: maxHistory === undefined ? {} : { maxHistory },
      tools: [reads('look')],
      script: ({ results }) =>
        Object.keys(results).length === 0 ? { calls: [{ name: 'look' }] } : { text: 'well' },
    })
    const { session } = await agent.say('one')
    await agent.say('two', session)
    await agent.say('three', session)
    const texts = agent.model.asked
      .at(-1)
      ?.prompt.flatMap((message) =>
        message.role === 'user'
          ? message.content.map((part) => (part.type === 'text' ? part.text : ''))
          : [],
      )
    expect(texts).toEqual(said)
    expect(only(await agent.journal(session), 'user_message')).toHaveLength(3)
  })
})

const CALLS: Readonly<Record<string, Reply>> = {
  alone: reply.toolCalls({ name: 'look', arguments: {} }),
  go: reply.toolCalls([
    { name: 'look', arguments: {} },
    { name: 'look', arguments: { page: 2 } },
  ]),
}

test('over HTTP: what amodal.json says of tools holds for the model and for clients, and a budget of the tenant outlives the server', async () => {
  const secret = 'account 4711'
  const door = await openLooking(
    ({ messages }) =>
      CALLS[contentText(messages.at(-1))] ??
      reply.text(
        'done',
        contentText(messages.at(-1)) === 'and now?' ? { usage: { promptTokens: 39_000 } } : {},
      ),
    {
      look: () => secret,
      entries: [use(limitsPlugin, { budgets: { tenant: { tokens: 40_000 } } })],
      manifest: {
        limits: { maxTurns: 4, max_tokens: 500, max_tool_calls: 1, on_limit: 'ask' },
        tools: { resultPersistence: { 'lo*': 'ephemeral' }, private: ['look'] },
      },
    },
  )
  // the database may still be opening
  await expect.poll(async () => (await door.say('hello')).status, { timeout: 30_000 }).toBe(200)
  const waits = (await door.say('go')).body
  const session = textIn(waits, 'session_id')
  const pending = (await door.get(`/sessions/${session}`)).body['pending_input']
  expect(pending).toMatchObject([
    {
      pending_input_type: 'continue_or_finish',
      pending_input_context: { reason: 'max_tool_calls', limit: 1, used: 2 },
    },
  ])
  const [asked] = isList(pending) ? pending : []
  const answered = await door.answer({
    session_id: session,
    id: isObject(asked) ? (asked['id'] ?? '') : '',
    action: 'continue',
    additional_tool_calls: 5,
  })
  expect(answered.status).toBeLessThan(300)
  await expect
    .poll(async () => (await door.get(`/sessions/${session}`)).text, { timeout: 20_000 })
    .toContain('"done"')
  expect(textOf(mainCalls(door).at(-1))).toContain(secret)
  const events = await door.stream('alone')
  expect(typed(events, 'tool_call_result')).toMatchObject([
    { status: 'success', result: '[private]' },
  ])
  const read = await door.get(`/sessions/${session}`)
  expect(read.text).not.toContain(secret)
  expect(await door.dump()).toContain(secret)
  await door.stream('and now?', { session_id: session })
  expect(textOf(mainCalls(door).at(-1))).not.toContain(secret)

  await door.restart()
  const last = await door.stream('more')
  expect(typed(last, 'done')).toMatchObject([{ reason: 'budget_exceeded' }])
  expect(typed(last, 'error')).toMatchObject([
    {
      code: 'BUDGET_EXCEEDED',
      message: expect.stringContaining('40000 tokens a day for a tenant') as string,
    },
  ])
}, 90_000)
