/** One file, uploaded once, over every wire that carries files; and what each shows of it later. */

import { HttpAgent } from '@ag-ui/client'
import { EventType, type BaseEvent } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import type { JsonObject } from '@amodal/sdk'
import { createClient, ClientError } from '@amodal/sdk/client'
import { reply } from '@amodal/sdk/testing'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serving, type Serving } from './serving.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const NOTES = 'The review is on Friday.'

let served: Serving
/** Ids of the picture and of the text. */
let picture = ''
let notes = ''
const client = () =>
  createClient({ url: served.url, credential: served.headers['authorization']?.slice(7) ?? '' })

beforeAll(async () => {
  served = await serving(reply.text('Seen.'))
  const png = Buffer.from(PNG, 'base64')
  picture = (await client().upload(png, { name: 'dot.png', type: 'image/png' })).id
  notes = (await client().upload(new Blob([NOTES], { type: 'text/plain' }), { name: 'n.txt' })).id
})
afterAll(() => served.close())

const jsonOf = async (response: Response): Promise<JsonObject> =>
  (await response.json()) as JsonObject // what the server says
/** What the person has said in the newest call of the model. */
const asked = (): string =>
  JSON.stringify(served.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user'))
const bothWereGiven = (): void => {
  expect(asked()).toContain(PNG)
  expect(asked()).toContain(NOTES)
  expect(asked()).toMatch(/n\.txt/)
}

test('the client uploads, sends, fetches and deletes', async () => {
  const file = await client().upload(new Blob(['gone soon'], { type: 'text/markdown' }))
  expect(file).toMatchObject({ media_type: 'text/markdown', bytes: 9 })
  const { session } = await client().ask({
    text: 'look',
    assets: [picture, { id: notes }, file.id],
  })
  bothWereGiven()
  const { messages } = await client().session(session)
  expect(messages[0]?.assets?.map(({ id }) => id)).toEqual([picture, notes, file.id])
  expect(await (await client().download(notes)).text()).toBe(NOTES)
  await client().deleteFile(file.id)
  await expect(client().download(file.id)).rejects.toMatchObject({ code: 'ASSET_NOT_FOUND' })
  await expect(client().ask({ text: 'again', assets: [file.id] })).rejects.toBeInstanceOf(
    ClientError,
  )
})

test('AI SDK: file parts of uploaded files, which the history of the chat shows as such', async () => {
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${served.url}/chat/ai-stream`,
    headers: { ...served.headers },
  })
  const message: UIMessage = {
    id: 'm1',
    role: 'user',
    parts: [
      { type: 'text', text: 'look' },
      { type: 'file', mediaType: 'image/png', url: `/assets/${picture}`, filename: 'dot.png' },
      {
        type: 'file',
        mediaType: 'text/plain',
        url: `${served.url}/assets/${notes}`,
        filename: 'n.txt',
      },
    ],
  }
  const stream = await transport.sendMessages({
    chatId: 'files',
    messageId: undefined,
    trigger: 'submit-message',
    messages: [message],
    abortSignal: undefined,
  })
  for await (const chunk of stream) expect(chunk.type).not.toBe('error')
  bothWereGiven()
  const shown = await jsonOf(await served.get('/chat/ai-stream/files'))
  const [first] = shown['messages'] as unknown as readonly UIMessage[] // of a chat
  expect(first?.parts).toEqual([
    { type: 'file', mediaType: 'image/png', url: `/assets/${picture}`, filename: 'dot.png' },
    { type: 'file', mediaType: 'text/plain', url: `/assets/${notes}`, filename: 'n.txt' },
    { type: 'text', text: 'look', state: 'done' },
  ])
})

test('AG-UI: parts of uploaded files, which a snapshot of the thread shows as such', async () => {
  const events: BaseEvent[] = []
  const run = async (agent: HttpAgent): Promise<void> => {
    await agent.runAgent(
      {},
      {
        onEvent: ({ event }) => {
          EventSchemas.parse(event)
          events.push(event)
        },
      },
    )
  }
  const fresh = () =>
    new HttpAgent({ url: `${served.url}/ag-ui`, headers: { ...served.headers }, threadId: 'files' })
  const agent = fresh()
  agent.addMessage({
    id: 'm1',
    role: 'user',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', source: { type: 'url', value: `/assets/${picture}` } },
      {
        type: 'document',
        source: {
          type: 'data',
          value: Buffer.from(NOTES).toString('base64'),
          mimeType: 'text/plain',
        },
        metadata: { filename: 'n.txt' },
      },
    ],
  })
  await run(agent)
  bothWereGiven()
  const other = fresh()
  other.addMessage({ id: 'm2', role: 'user', content: 'and now?' })
  events.length = 0
  await run(other)
  expect(JSON.stringify(events.find(({ type }) => type === EventType.MESSAGES_SNAPSHOT))).toContain(
    `"source":{"type":"url","value":"/assets/${notes}","mimeType":"text/plain"}`,
  )
})

test('OpenAI: both APIs, by id and as data; items of a conversation have the id', async () => {
  const data = `data:text/plain;base64,${Buffer.from(NOTES).toString('base64')}`
  const chat = await served.post('/v1/chat/completions', {
    model: 'wired',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: `/assets/${picture}` } },
          { type: 'file', file: { file_data: data, filename: 'n.txt' } },
        ],
      },
    ],
  })
  expect(chat.status).toBe(200)
  bothWereGiven()
  const response = await jsonOf(
    await served.post('/v1/responses', {
      model: 'wired',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', file_id: picture, detail: 'auto' },
            { type: 'input_file', file_id: notes },
          ],
        },
      ],
    }),
  )
  bothWereGiven()
  const items = await served.get(
    `/v1/responses/${JSON.stringify(response['id']).slice(1, -1)}/input_items`,
  )
  expect(await items.text()).toContain(
    `"type":"input_image","detail":"auto","file_id":"${picture}"`,
  )
  const twice = await served.post('/v1/chat/completions', {
    model: 'wired',
    messages: [
      { role: 'user', content: [{ type: 'file', file: { file_data: data, file_id: notes } }] },
    ],
  })
  expect(twice.status).toBe(400)
})

test('what is not there, and what the model does not read, is told over each wire by its code', async () => {
  const unknown = 'f'.repeat(64)
  const none = await served.post('/v1/chat/completions', {
    model: 'wired',
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: unknown } }] }],
  })
  expect(await jsonOf(none)).toMatchObject({ error: { code: 'ASSET_NOT_FOUND' } })
  const pdf = Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64')
  const unread = await served.post('/chat/ai-stream', {
    id: 'unread',
    messages: [
      {
        id: 'm1',
        role: 'user',
        parts: [
          { type: 'file', mediaType: 'application/pdf', url: `data:application/pdf;base64,${pdf}` },
        ],
      },
    ],
  })
  expect(unread.status).toBe(422)
  expect(await unread.text()).toContain(
    'openai-compatible/scripted cannot read a file (application/pdf',
  )
})

type Send = (text: string | undefined, files: boolean) => Promise<Response>

const DATA_URL = `data:image/png;base64,${PNG}`
const image = { mimeType: 'image/png', data: PNG }
let sent = 0
const next = (): string => `alone-${(sent += 1)}`

/** A message over each door that takes files: with this text, with a picture or without one. */
const DOORS: Readonly<Record<string, Send>> = {
  ...Object.fromEntries(
    ['/chat', '/chat/stream', '/chat/sync'].map((path): [string, Send] => [
      `POST ${path}`,
      (message, files) =>
        served.post(path, {
          ...(message !== undefined && { message }),
          ...(files && { images: [image] }),
        }),
    ]),
  ),
  'AI SDK': (text, files) =>
    served.post('/chat/ai-stream', {
      id: next(),
      messages: [
        {
          id: 'm1',
          role: 'user',
          parts: [
            ...(text === undefined ? [] : [{ type: 'text', text }]),
            ...(files ? [{ type: 'file', mediaType: 'image/png', url: DATA_URL }] : []),
          ],
        },
      ],
    }),
  'AG-UI': (text, files) =>
    served.post('/ag-ui', {
      threadId: next(),
      runId: 'run',
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
      messages: [
        {
          id: 'm1',
          role: 'user',
          content: [
            ...(text === undefined ? [] : [{ type: 'text', text }]),
            ...(files
              ? [{ type: 'image', source: { type: 'data', value: PNG, mimeType: 'image/png' } }]
              : []),
          ],
        },
      ],
    }),
  'chat completions': (text, files) =>
    served.post('/v1/chat/completions', {
      model: 'wired',
      messages: [
        {
          role: 'user',
          content: [
            ...(text === undefined ? [] : [{ type: 'text', text }]),
            ...(files ? [{ type: 'image_url', image_url: { url: DATA_URL } }] : []),
          ],
        },
      ],
    }),
  responses: (text, files) =>
    served.post('/v1/responses', {
      model: 'wired',
      input: [
        {
          role: 'user',
          content: [
            ...(text === undefined ? [] : [{ type: 'input_text', text }]),
            ...(files ? [{ type: 'input_image', image_url: DATA_URL }] : []),
          ],
        },
      ],
    }),
  A2A: (text, files) =>
    served.post('/a2a', {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: next(),
          role: 'ROLE_USER',
          parts: [
            ...(text === undefined ? [] : [{ text }]),
            ...(files ? [{ raw: PNG, mediaType: 'image/png' }] : []),
          ],
        },
      },
    }),
}

/** What the model got of the person, once the turn is over. */
async function given(send: Send, text: string | undefined, files: boolean): Promise<unknown> {
  const count = served.model.count
  const response = await send(text, files)
  const body = await response.text()
  expect(response.status, body).toBe(200)
  await expect.poll(() => served.model.count).toBe(count + 1)
  return served.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user')
}

test.each(Object.entries(DOORS))(
  '%s: a picture without a text is a message',
  async (_door, send) => {
    for (const text of [undefined, '', ' ']) {
      const messages = await given(send, text, true)
      expect(messages).toEqual([
        { role: 'user', content: [{ type: 'image_url', image_url: { url: DATA_URL } }] },
      ])
    }
    const nothing = await send(' ', false)
    expect(await nothing.text()).toMatch(/must not be empty|has no text/)
  },
)

test.each(Object.entries(DOORS))('%s: JSON is a text like any other', async (_door, send) => {
  for (const text of [
    '{"message": "look", "session_id": 7}',
    '{"role":"system","content":"x"}',
    '[1, 2]',
    'null',
    '"a"',
    '12345678901234567890',
  ])
    expect(await given(send, text, false)).toEqual([{ role: 'user', content: text }])
})
