import compaction from '@amodal/plugin-compaction'
import loopGuard from '@amodal/plugin-loop-guard'
import { createAgent } from '@amodal/presets'
import { use } from '@amodal/sdk'
import { contentText, reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { filler, isSummary, looks, openLooking, sessionOf, typed } from './support/looking.ts'

const usage = { promptTokens: 1_000, completionTokens: 100 }
/** Dollars: 1,000 in at 2 and 100 out at 10, for a million each. */
const EACH = 0.003

test('every call that a provider has counted is paid for: answers it has taken back, summaries, reviews', async () => {
  const modelCalls = { summaries: 0, reviews: 0, steps: 0 }
  const door = await openLooking(
    (request) => {
      if (isSummary(request)) {
        modelCalls.summaries++
        return reply.text(JSON.stringify({ findings: ['something'] }), { usage })
      }
      if (contentText(request.messages[0]).startsWith('You judge')) {
        modelCalls.reviews++
        return reply.text('PROGRESS', { usage })
      }
      if (contentText(request.messages.at(-1)) === 'something improper')
        return reply.text('', { finishReason: 'content_filter', usage })
      return modelCalls.steps++ < 25
        ? { ...looks(modelCalls.steps), usage }
        : reply.text('done', { usage })
    },
    {
      files: { 'prices.json': { 'openai-compatible/scripted': { input: 2, output: 10 } } },
      look: ({ page }) => filler(4_000, page),
      entries: [use(loopGuard, { progressEvery: 10 }), use(compaction, { at: 0.5 })],
    },
  )
  const refused = await door.stream('something improper')
  expect(refused.at(-1)).toMatchObject({
    type: 'done',
    reason: 'error',
    cost: EACH,
    usage: { total_tokens: 1_100 },
  })

  const session = sessionOf(refused)
  const [done] = typed(await door.stream('go', { session_id: session }), 'done')
  expect(modelCalls.summaries).toBeGreaterThan(0)
  expect(modelCalls.reviews).toBeGreaterThan(0)
  const calls = modelCalls.summaries + modelCalls.reviews + 26
  expect(door.model.count).toBe(calls + 1)
  expect(done).toMatchObject({
    usage: { total_tokens: calls * 1_100 },
    last_call_usage: { total_tokens: 1_100 },
  })
  expect(done?.['cost']).toBeCloseTo(calls * EACH, 9)

  const { cost, token_usage: tokens } = (await door.get(`/session/${session}`)).body
  expect(tokens).toMatchObject({ total_tokens: (calls + 1) * 1_100 })
  expect(cost).toBeCloseTo((calls + 1) * EACH, 9)
  expect((await door.get('/api/stats')).body['cost']).toBeCloseTo((calls + 1) * EACH, 9)
})

test('Anthropic is told what to keep: the prompt with its tools, and the conversation up to its newest message; others are told nothing', async () => {
  const model = await startModelServer({
    script: reply.toolsThenText({ name: 'no_such_tool', arguments: {} }, 'done'),
  })
  onTestFinished(() => model.close())
  const asked = async (provider: string): Promise<readonly unknown[]> => {
    const agent = await createAgent({
      provider,
      apiKey: 'sk-0123456789',
      providerConfig: { model: 'scripted', baseUrl: model.url },
    })
    onTestFinished(() => agent.shutdown())
    const from = model.count
    for await (const { type } of (await agent.createSession()).stream('hi'))
      expect(type).not.toBe('error')
    return model.requests.slice(from).map(({ sent }) => sent)
  }
  const mark = { cache_control: { type: 'ephemeral' } }
  const [first, second] = await asked('anthropic')
  expect(first).toMatchObject({ system: [mark], messages: [{ role: 'user', content: [mark] }] })
  expect(second).toMatchObject({
    system: [mark],
    messages: [
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result', ...mark }] },
    ],
  })
  expect(JSON.stringify(second).split('cache_control'), 'marks move on').toHaveLength(3)
  for (const provider of ['openai-compatible', 'openai', 'google'])
    expect(JSON.stringify(await asked(provider))).not.toMatch(/cache_(control|key)/)
})
