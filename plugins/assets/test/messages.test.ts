/** Files that go with messages: what the model gets, and what stays of them. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject, ModelConfig } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { GIF, M4A, MP3, OPUS, PDF, PNG, WAV } from './support/samples.ts'
import { serving, textIn, type Serving } from './support/serving.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const errorOf = ({ body }: { readonly body: JsonObject }) =>
  body['error'] as unknown as { readonly code: string; readonly message: string } // of an answer

/** What the newest model call was given, as text. */
const given = ({ model }: Serving): string => JSON.stringify(model.requests.at(-1)?.sent)
/** What the messages of people were in it. */
const said = ({ model }: Serving): string =>
  JSON.stringify(model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user'))

test('a file is uploaded, goes to the model with a message, and the journal has its name only', async () => {
  const server = await serving()
  const id = await server.kept(PNG, 'image/png', 'dot.png')
  const response = await server.say('look', { assets: [{ id, name: 'my dot.png' }] })
  expect(response.body).toMatchObject({ response: 'Seen.' })
  expect(server.model.requests[0]?.body.messages.at(-1)).toMatchObject({
    role: 'user',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(PNG)}` } },
    ],
  })
  const tables = await server.rows(
    "select table_name from information_schema.tables where table_schema = 'public' and table_name <> 'assets_chunk'",
  )
  for (const { table_name: table } of tables) {
    const rows = JSON.stringify(await server.rows(`select t::text from "${String(table)}" t`))
    expect(rows, String(table)).not.toContain(base64(PNG).slice(0, 40))
    expect(rows, String(table)).not.toContain(PNG.toString('hex').slice(0, 40))
  }
  const [entry] = await server.rows(
    `select body::jsonb -> 'assets' as assets from sessions_entry where body::jsonb ->> 'kind' = 'user_message'`,
  )
  expect(entry?.['assets']).toEqual([
    { asset: id, mediaType: 'image/png', bytes: PNG.byteLength, name: 'my dot.png' },
  ])
})

test.each<[string, (id: string) => unknown]>([
  ['an id', (id) => id],
  ['the path of a file', (id) => `/assets/${id}`],
  ['its whole URL', (id) => `http://example.com/assets/${id}`],
  ['an object with the id', (id) => ({ id })],
  ['a data URL', () => `data:image/png;base64,${base64(PNG)}`],
  ['base64', () => ({ data: base64(PNG), name: 'x.png' })],
  ['base64 with its type', () => ({ data: base64(PNG), mimeType: 'image/png' })],
])('%s names a file', async (_what, name) => {
  const server = await serving()
  const id = await server.kept(PNG, 'image/png')
  const response = await server.say('look', { assets: [name(id)] as never })
  expect(response.status).toBe(200)
  expect(given(server)).toContain(base64(PNG))
  expect(await server.count('assets_content')).toBe(1)
})

test('images of older clients take the same way', async () => {
  const server = await serving()
  await server.say('look', { images: [{ mimeType: 'image/png', data: base64(PNG) }] })
  expect(given(server)).toContain(base64(PNG))
  expect(await server.count('assets_content')).toBe(1)
  expect(await server.count('assets_hold')).toBe(1)
})

test.each<[string, unknown, number, string]>([
  ['an unknown file', ['0'.repeat(64)], 404, 'ASSET_NOT_FOUND'],
  ['an address elsewhere', ['https://example.com/a.png'], 400, 'VALIDATION_ERROR'],
  ['no base64', [{ data: 'no!' }], 400, 'VALIDATION_ERROR'],
  [
    'another type than it is',
    [{ data: base64(PNG), mimeType: 'image/gif' }],
    415,
    'ASSET_TYPE_REFUSED',
  ],
  ['more than a message may have', Array(11).fill({ data: 'YQ==' }), 400, 'VALIDATION_ERROR'],
  [
    'too many bytes',
    Array(3).fill({ data: base64(Buffer.alloc(900, 'a')) }),
    413,
    'ASSET_TOO_LARGE',
  ],
  ['one that is too large', [{ data: base64(Buffer.alloc(1_001, 'a')) }], 413, 'ASSET_TOO_LARGE'],
])('%s is refused, and no session begins', async (_what, assets, status, code) => {
  const server = await serving({ config: { maxFileBytes: 1_000, maxMessageBytes: 2_000 } })
  const response = await server.say('look', { assets: assets as never })
  expect([response.status, errorOf(response).code]).toEqual([status, code])
  expect(server.model.count).toBe(0)
  expect(await server.count('sessions_lane')).toBe(0)
})

describe('what a model reads', () => {
  const providers: readonly [string, Partial<ModelConfig>, RegExp][] = [
    ['anthropic', { provider: 'anthropic' }, /"type":"document".*"media_type":"application\/pdf"/],
    ['openai', { provider: 'openai' }, /"type":"input_file"/],
    ['google', { provider: 'google' }, /"mimeType":"application\/pdf"/],
    [
      'a compatible endpoint that says so',
      { takes: ['application/pdf'] },
      /"type":"file".*data:application\/pdf/,
    ],
  ]
  test.each(providers)('%s: a PDF', async (_what, model, form) => {
    const server = await serving({ model })
    const id = await server.kept(PDF, 'application/pdf', 'plan.pdf')
    const response = await server.say('read it', { assets: [id] })
    expect(response.status, response.bytes.toString()).toBe(200)
    expect(given(server)).toMatch(form)
    expect(given(server)).toContain(base64(PDF))
  })

  const hearing: readonly [string, Buffer, Partial<ModelConfig>, RegExp][] = [
    ['google', OPUS, { provider: 'google' }, /"inlineData":\{"mimeType":"audio\/ogg"/],
    ['google', M4A, { provider: 'google' }, /"inlineData":\{"mimeType":"audio\/mp4"/],
    ['chat completions', WAV, { takes: ['audio/*'] }, /"type":"input_audio".*"format":"wav"/],
    ['chat completions', MP3, { takes: ['audio/*'] }, /"type":"input_audio".*"format":"mp3"/],
  ]
  test.each(hearing)('%s: a recording', async (_what, sound, model, form) => {
    const server = await serving({ model, memory: true })
    const id = await server.kept(sound)
    const response = await server.say('listen', { assets: [id] })
    expect(response.status, response.bytes.toString()).toBe(200)
    expect(given(server)).toMatch(form)
    expect(given(server)).toContain(base64(sound))
  })

  const deaf: readonly [string, Buffer, Partial<ModelConfig>, string][] = [
    ['anthropic', MP3, { provider: 'anthropic', takes: ['*/*'] }, 'image/*, application/pdf'],
    ['openai', WAV, { provider: 'openai' }, 'application/pdf'],
    ['chat completions that say nothing of it', WAV, {}, 'image/webp'],
    ['a form that chat completions lack', OPUS, { takes: ['audio/*'] }, 'audio/wav, audio/mpeg'],
  ]
  test.each(deaf)(
    '%s: a recording is refused before the turn',
    async (_what, sound, model, reads) => {
      const server = await serving({ model, memory: true })
      const response = await server.say('listen', { assets: [await server.kept(sound)] })
      expect(response.status).toBe(422)
      expect(errorOf(response).code).toBe('ASSET_UNSUPPORTED')
      expect(errorOf(response).message).toMatch(
        /cannot read a file \(audio\/\w+, \d+ bytes\); it reads text/,
      )
      expect(errorOf(response).message).toContain(reads)
      expect(server.model.count).toBe(0)
    },
  )

  test('what it does not read is refused before the turn, by its name, with what to do', async () => {
    const server = await serving()
    const id = await server.kept(PDF, 'application/pdf', 'plan.pdf')
    const response = await server.say('read it', { assets: [id] })
    expect(response.status).toBe(422)
    expect(errorOf(response)).toMatchObject({
      code: 'ASSET_UNSUPPORTED',
      message: expect.stringMatching(
        /openai-compatible\/scripted cannot read "plan\.pdf" \(application\/pdf, \d+ bytes\); it reads text, image\/png/,
      ) as string,
    })
    expect(server.model.count).toBe(0)
    expect(await server.count('sessions_lane')).toBe(0)
  })

  test.each(['deepseek', 'openai-compatible'])('%s: text, in words', async (provider) => {
    const server = await serving({ model: { provider, takes: [] } })
    const id = await server.kept('name,amount\nAnn,5\n', 'text/csv', 'sums.csv')
    expect((await server.say('add', { assets: [id] })).status).toBe(200)
    expect(said(server)).toContain(
      'File \\"sums.csv\\" (text/csv, 18 bytes):\\n<untrusted source=\\"sums.csv\\">\\nname,amount\\nAnn,5',
    )
    const refused = await server.say('look', { assets: [{ data: base64(PNG) }] as never })
    expect(errorOf(refused).code).toBe('ASSET_UNSUPPORTED')
  })

  test('another model of the message counts', async () => {
    const server = await serving({ model: { provider: 'anthropic' } })
    const id = await server.kept(PDF, 'application/pdf')
    const model = { provider: 'deepseek', model: 'x' }
    const response = await server.say('read', { assets: [id], model })
    expect(errorOf(response)).toMatchObject({
      code: 'ASSET_UNSUPPORTED',
      message: expect.stringContaining('deepseek/x cannot read') as string,
    })
  })
})

describe('a file of an earlier message', () => {
  test('is there in the next turn, byte for byte, also after a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'amodal-assets-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const first = await serving({ dataDir })
    const { body } = await first.say('look', { assets: [{ data: base64(PNG) }] as never })
    const before = said(first)
    await first.close()
    const second = await serving({ dataDir })
    await second.say('and now?', { session_id: body['session_id'] ?? '' })
    expect(said(second)).toContain(base64(PNG))
    expect(said(second).slice(0, before.length - 1)).toBe(before.slice(0, -1))
  }, 120_000)

  test('is told to be deleted once it is, in words', async () => {
    const server = await serving()
    const id = await server.kept(PNG, 'image/png', 'dot.png')
    const { body } = await server.say('look', { assets: [id] })
    const session_id = body['session_id'] ?? ''
    expect((await server.call(`/assets/${id}`, { method: 'DELETE' })).status).toBe(204)
    const response = await server.say('and now?', { session_id })
    expect(response.body).toMatchObject({ response: 'Seen.' })
    expect(said(server)).not.toContain(base64(PNG))
    expect(said(server)).toContain(
      '[The file \\"dot.png\\" (image/png, 70 bytes) is not here: it was deleted]',
    )
    expect(errorOf(await server.say('again', { assets: [id], session_id })).code).toBe(
      'ASSET_NOT_FOUND',
    )
  })

  test('is the same to the end of the turn in which it is deleted', async () => {
    const server = await serving({
      script: (request) =>
        request.messages.at(-1)?.role === 'tool'
          ? reply.text('Done.')
          : reply.toolCalls({ name: 'nothing', arguments: {} }),
    })
    const id = await server.kept(PNG, 'image/png')
    const deleted = new Promise<void>((resolve) => {
      server.model.play(async (request) => {
        if (request.messages.at(-1)?.role === 'tool') return reply.text('Done.')
        await server.call(`/assets/${id}`, { method: 'DELETE' })
        resolve()
        return reply.toolCalls({ name: 'nothing', arguments: {} })
      })
    })
    const response = await server.say('look', { assets: [id] })
    await deleted
    expect(response.body).toMatchObject({ response: 'Done.' })
    expect(server.model.requests).toHaveLength(2)
    expect(given(server)).toContain(base64(PNG))
  })

  test('is left out where newer ones take all the room of a call', async () => {
    const server = await serving({ settings: { fileBytes: 100 } })
    const [one, two] = [
      await server.kept(PNG, '', 'one.png'),
      await server.kept(GIF, '', 'two.gif'),
    ]
    const { body } = await server.say('look', { assets: [one] })
    await server.say('and this', { assets: [two], session_id: body['session_id'] ?? '' })
    expect(said(server)).toContain(base64(GIF))
    expect(said(server)).not.toContain(base64(PNG))
    expect(said(server)).toContain(
      'is not here: it is left out, since newer files take all the room',
    )
  })

  test('stands in the history as what clients can get', async () => {
    const server = await serving()
    const id = await server.kept(PNG, 'image/png', 'dot.png')
    const { body } = await server.say('look', { assets: [id] })
    const session = await server.call(`/sessions/${textIn(body, 'session_id')}`)
    expect(session.bytes.toString()).not.toContain(base64(PNG))
    expect(session.body['messages']).toMatchObject([
      { role: 'user', text: 'look', assets: [{ id, media_type: 'image/png', name: 'dot.png' }] },
      { role: 'assistant' },
    ])
  })

  test('goes with a fork, and stays there when its first session is removed', async () => {
    const server = await serving()
    const id = await server.kept(PNG, 'image/png')
    const { body } = await server.say('look', { assets: [id] })
    const fork = await server.post(`/sessions/${textIn(body, 'session_id')}/fork`, {})
    const child = textIn(fork.body, 'id')
    await server.say('and now?', { session_id: child })
    expect(said(server)).toContain(base64(PNG))
    expect(await server.count('assets_hold')).toBe(2)
  })
})

test('the same message sent again is one message', async () => {
  const server = await serving()
  const body = JSON.stringify({ message: 'look', assets: [{ data: base64(PNG), name: 'a.png' }] })
  const send = () =>
    server.call('/chat/sync', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
      body,
    })
  const [one, two] = [await send(), await send()]
  expect(two.body['session_id']).toBe(one.body['session_id'])
  expect(server.model.count).toBe(1)
})
