import { expect, test } from 'vitest'
import { given, startTestAgent, type TestAgentOptions } from './support/agent.ts'
import { recorded, type StoreCall } from './support/store.ts'
import { reads, writes } from './support/tools.ts'

async function statements(options: TestAgentOptions): Promise<readonly string[]> {
  const calls: StoreCall[] = []
  const agent = await startTestAgent({ ...options, around: recorded(calls) })
  calls.length = 0
  const { session } = await agent.say('first')
  const first = calls.splice(0).map(({ method }) => method)
  await agent.say('second', session)
  expect(
    calls.map(({ method }) => method),
    'the same once it is resident',
  ).toEqual(first)
  return first
}

test('a text turn is one accept and one commit', async () => {
  expect(await statements({ script: [{ text: 'hi' }] })).toEqual(['accept', 'commit'])
})

test('a step of reads costs one commit more, however many they are', async () => {
  expect(
    await statements({
      script: ({ results }) =>
        'a' in results || 'a_2' in results
          ? { text: 'ok' }
          : {
              calls: [
                { name: 'look', id: 'a' },
                { name: 'look', id: 'b' },
                { name: 'look', id: 'c' },
              ],
            },
      tools: [reads('look')],
    }),
  ).toEqual(['accept', 'commit', 'commit'])
})

test('a step with one effect costs two more; the outcome of one shares a commit with the intent of the next', async () => {
  const step = (calls: number): TestAgentOptions => ({
    script: ({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? { text: 'ok' }
        : { calls: Array.from({ length: calls }, () => ({ name: 'write' })) },
    tools: [writes('write')],
  })
  expect(await statements(step(1))).toEqual(['accept', 'commit', 'commit', 'commit'])
  expect(await statements(step(3))).toEqual([
    'accept',
    'commit',
    'commit',
    'commit',
    'commit',
    'commit',
  ])
})

test('a cancelled turn costs no commit more than one that ends', async () => {
  const calls: StoreCall[] = []
  const agent = await startTestAgent({
    around: recorded(calls),
    script: [{ text: 'hm', until: new Promise(() => undefined) }],
  })
  calls.length = 0
  const sent = await agent.send('first')
  await expect.poll(() => agent.model.asked.length).toBe(1)
  given(await agent.face.cancel(sent.session))
  await expect.poll(() => agent.agent.runs()).toEqual([])
  expect(calls.map(({ method }) => method)).toEqual(['accept', 'sessionRecord', 'accept', 'commit'])
})

test('a question costs one commit to park, and one read of the inbox and of the run to go on', async () => {
  const calls: StoreCall[] = []
  const agent = await startTestAgent({
    around: recorded(calls),
    script: ({ results }) =>
      'q' in results ? { text: 'ok' } : { calls: [{ name: 'ask', id: 'q' }] },
    tools: [
      reads('ask', () => ({
        status: 'asks',
        question: { type: 'question', schema: { type: 'object' }, context: {} },
      })),
    ],
  })
  calls.length = 0
  const sent = await agent.send('first')
  sent.frames.close() // a reader that waits looks into the journal now and then
  await expect.poll(() => agent.agent.status().active === 0 && calls.length > 1).toBe(true)
  expect(calls.splice(0).map(({ method }) => method)).toEqual(['accept', 'commit'])
  const [ask] = await agent.asks(sent.session)
  calls.length = 0
  given(await agent.answer(sent.session, [ask, {}]))
  await expect.poll(() => calls.length).toBe(6)
  expect(calls.map(({ method }) => method)).toEqual([
    'sessionRecord',
    'accept',
    'inbox',
    'entries',
    'commit',
    'commit',
  ])
})
