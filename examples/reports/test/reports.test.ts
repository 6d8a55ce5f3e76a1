import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken } from '@amodal/sdk'
import { reply, startModelServer, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { reportOn } from '../src/report.ts'

const write = (quote: string) =>
  reply.toolCalls({
    name: 'artifacts_create',
    arguments: {
      type: 'review_report',
      title: 'City bell',
      content_markdown: '# City bell\n\nThe clamp breaks.',
      citations: [{ quote, tool: 'query_store', statement: 'The clamp breaks.' }],
    },
  })
const handIn = (reviews: number | string) =>
  reply.toolCalls({
    name: 'submit_result',
    arguments: {
      result: { product: 'City bell', reviews, verdict: 'improve', complaints: ['clamp'] },
    },
  })

/** Reads, misquotes, quotes, hands in what does not fit, and then what does. */
const STEPS = [
  reply.toolCalls({
    name: 'query_store',
    arguments: { store: 'reviews', filter: { product: 'City bell' } },
  }),
  write('The clamp broke after one day.'),
  write('The clamp broke after three weeks'),
  handIn('two'),
  handIn(2),
]
const script = ({ messages }: ChatCompletionRequest) =>
  STEPS[messages.filter(({ role }) => role === 'tool').length] ?? reply.text('Done.')

test('a program gets a report whose quotes stand in what was read', async () => {
  const model = await startModelServer({ script, keep: 20 })
  onTestFinished(() => model.close())
  const dir = await mkdtemp(join(tmpdir(), 'amodal-reports-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await cp(join(import.meta.dirname, '../agent'), dir, {
    recursive: true,
    filter: (path) => !path.endsWith('.amodal'),
  })
  const env = { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' }
  const started = await startFolder({ dir, env, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel, close } = started.value
  onTestFinished(() => close('test').then(() => undefined))
  const address = kernel.scope.get(HttpApp).address()
  const server = {
    url: `http://${address?.host}:${address?.port}`,
    key: kernel.scope.get(LocalToken).text() ?? '',
  }

  const limit = AbortSignal.timeout(120_000)
  const report = await reportOn(server, 'City bell', 'order-1', limit)
  expect(report).toMatchObject({
    result: { product: 'City bell', reviews: 2, verdict: 'improve', complaints: ['clamp'] },
    artifact: {
      title: 'City bell',
      citations: [{ quote: 'The clamp broke after three weeks', source: { tool: 'query_store' } }],
    },
  })
  const told = JSON.stringify(model.requests.at(-1)?.body.messages)
  expect(told).toContain('citations.0.quote: stands in no result')
  expect(told).toContain('result.reviews')

  // The same key is the same run, and another one is another.
  const count = model.count
  expect(await reportOn(server, 'City bell', 'order-1', limit)).toEqual(report)
  expect(model.count).toBe(count)
  expect((await reportOn(server, 'City bell', 'order-2', limit)).session).not.toBe(report.session)
}, 180_000)
