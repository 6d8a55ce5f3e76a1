import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { expect, onTestFinished, test } from 'vitest'
import { delta, frames, modelOf, startRawServer, type RawServer } from './support.ts'

const PNG = 'iVBORw0KGgo='
const prompt: LanguageModelV4Prompt = [
  { role: 'user', content: [{ type: 'text', text: 'Draw it.' }] },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'draw', input: {} }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'draw',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'drawn' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
          ],
        },
      },
    ],
  },
]

async function serve(takesImages: boolean): Promise<RawServer> {
  const server = await startRawServer((response, n) => {
    const isRefused = !takesImages && JSON.stringify(server.bodies[n]).includes('image_url')
    response
      .writeHead(isRefused ? 400 : 200, {
        'content-type': isRefused ? 'application/json' : 'text/event-stream',
      })
      .end(
        isRefused
          ? '{"error":{"message":"image_url is not supported"}}'
          : frames(delta({ content: 'ok' }, 'stop'), '[DONE]'),
      )
  })
  onTestFinished(() => server.close())
  return server
}

async function ask(url: string, provider = 'openai-compatible'): Promise<void> {
  const { stream } = await modelOf({ provider, baseUrl: url, apiKey: 'k' }).doStream({ prompt })
  for await (const part of stream) if (part.type === 'error') throw part.error
}

const last = (server: RawServer): unknown =>
  (server.bodies.at(-1)?.['messages'] as readonly unknown[]).slice(2)
const BLIND = [
  {
    role: 'tool',
    tool_call_id: 'c1',
    content: 'drawn\n[1 image, which you cannot see: this model takes none in results]',
  },
]

test('images of results follow them in a message of their own', async () => {
  const server = await serve(true)
  await ask(server.url)
  expect(last(server)).toEqual([
    { role: 'tool', tool_call_id: 'c1', content: 'drawn\n[1 image: see the next message]' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '[1 image of the result of draw, not of the person:]' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    },
  ])
})

test('an endpoint that refuses them is asked without them, from then on at once', async () => {
  const server = await serve(false)
  const model = modelOf({ baseUrl: server.url })
  for (const count of [2, 3]) {
    const { stream } = await model.doStream({ prompt })
    await stream.cancel()
    expect(server.bodies).toHaveLength(count)
    expect(last(server)).toEqual(BLIND)
  }
})

test('where nothing may follow a result, the model is told that there is an image', async () => {
  const server = await serve(true)
  await ask(server.url, 'mistral')
  expect(last(server)).toEqual(BLIND)
})
