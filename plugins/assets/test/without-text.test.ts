/** A message may have files alone: it is a message like any other, on every route. */

import { createClient, type ClientEvent } from '@amodal/sdk/client'
import type { Json, ModelConfig } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { PDF, PNG } from './support/samples.ts'
import { serving, textIn, type Serving } from './support/serving.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
/** The content of the newest user message of the newest model call. */
const sentContent = ({ model }: Serving): unknown =>
  model.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'user')?.content
const IMAGE_ALONE = [
  { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(PNG)}` } },
]

const bodies: readonly [string, (id: string) => Json][] = [
  ['no `message`', (id) => ({ assets: [id] })],
  ['`message: null`', (id) => ({ message: null, assets: [id] })],
  ['an empty `message`', (id) => ({ message: '', assets: [id] })],
  ['a blank `message`', (id) => ({ message: ' \n', assets: [id] })],
  [
    '`images` of older clients',
    () => ({ message: '', images: [{ mimeType: 'image/png', data: base64(PNG) }] }),
  ],
]
const routes = ['/chat/sync', '/chat/stream', '/chat']
const cases = routes.flatMap((route) => bodies.map(([what, body]) => [route, what, body] as const))

test.each(cases)('%s takes a message of an image with %s', async (route, _what, body) => {
  const server = await serving({ memory: true })
  const id = await server.kept(PNG, 'image/png')
  const answer = await server.post(route, body(id))
  expect(answer.status, answer.bytes.toString()).toBe(200)
  expect(answer.bytes.toString()).toContain('Seen.')
  expect(sentContent(server)).toEqual(IMAGE_ALONE)
})

test.each(routes)('%s refuses a message without text and files', async (route) => {
  const server = await serving({ memory: true })
  for (const body of [{}, { message: ' ' }, { message: '', assets: [] }]) {
    const answer = await server.post(route, body)
    expect([answer.status, answer.bytes.toString()]).toEqual([
      400,
      expect.stringContaining('message: must not be empty'),
    ])
  }
  expect(server.model.count).toBe(0)
})

test('the client sends and asks without a text', async () => {
  const server = await serving()
  const client = createClient({
    url: server.url,
    credential: server.credential('ann').slice('Bearer '.length),
  })
  const { id } = await client.upload(new Blob([new Uint8Array(PNG)], { type: 'image/png' }))
  const events: ClientEvent[] = []
  for await (const event of client.send({ assets: [id] })) events.push(event)
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['init', 'done']))
  expect(sentContent(server)).toEqual(IMAGE_ALONE)
  const reply = await client.ask({ assets: [id] })
  expect(reply.text).toBe('Seen.')
  const { messages } = await client.session(reply.session)
  expect(messages).toMatchObject([
    { role: 'user', text: '', assets: [{ id, media_type: 'image/png' }] },
    { role: 'assistant', text: 'Seen.' },
  ])
})

test('a conversation goes on after a message of an image, and the model is given it again', async () => {
  const server = await serving()
  const id = await server.kept(PNG, 'image/png')
  const { body } = await server.say('', { assets: [id] })
  await server.say('and now?', { session_id: textIn(body, 'session_id') })
  expect(server.model.requests.at(-1)?.body.messages).toMatchObject([
    ...(server.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'system') ?? []),
    { role: 'user', content: IMAGE_ALONE },
    { role: 'assistant' },
    { role: 'user', content: 'and now?' },
  ])
})

// Providers refuse a message with an empty text beside its files.
const providers: readonly [string, Partial<ModelConfig>][] = [
  ['anthropic', { provider: 'anthropic' }],
  ['openai', { provider: 'openai' }],
  ['google', { provider: 'google' }],
  ['openai-compatible', { takes: ['application/pdf'] }],
]
test.each(providers)('%s is sent a PDF without an empty text', async (_what, model) => {
  const server = await serving({ model, memory: true })
  onTestFinished(() => expect(server.model.count).toBe(1))
  const answer = await server.say('', { assets: [await server.kept(PDF, 'application/pdf')] })
  expect(answer.status, answer.bytes.toString()).toBe(200)
  const sent = JSON.stringify(server.model.requests.at(-1)?.sent)
  expect(sent).toContain(base64(PDF))
  expect(sent).not.toMatch(/"text":""/)
})

test('a text file alone is a message of its text', async () => {
  const server = await serving({ model: { takes: [] }, memory: true })
  const id = await server.kept('name,amount\n', 'text/csv', 'sums.csv')
  expect((await server.say('', { assets: [id] })).status).toBe(200)
  expect(JSON.stringify(sentContent(server))).toContain('File \\"sums.csv\\" (text/csv, 12 bytes)')
})
