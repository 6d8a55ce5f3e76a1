import { definePlugin, defineTool, Tools, use, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openDoor, textIn, type Door, type DoorOptions } from '../support/door.ts'

const tools = definePlugin({
  name: 'pays',
  version: '1.0.0',
  setup({ add }) {
    add(Tools, 'pays', {
      tools: () =>
        ['pay', 'list_invoices'].map((name) =>
          defineTool({
            name,
            description: name,
            readOnly: true,
            input: z.object({}),
            execute: () => Promise.resolve({ status: 'success', output: `${name} ran` }),
          }),
        ),
    })
  },
})

const keyOf = (who: string): string => `amodal_${who.padEnd(12, 'a')}_${who.padEnd(43, '0')}`
const by = (who: string): Record<string, string> => ({ authorization: `Bearer ${keyOf(who)}` })

const open = (manifest: JsonObject = {}, more: Partial<DoorOptions> = {}): Promise<Door> =>
  openDoor({
    script: reply.toolsThenText({ name: 'pay', arguments: {} }, 'done'),
    files: { 'roles/accountant.json': { tools: ['list_invoices'] } },
    entries: [use(tools)],
    manifest,
    ...more,
  })

/** What the tool gave, or why it was refused. */
const paid = async (door: Door, headers?: Record<string, string>): Promise<string> => {
  const { body } = await door.say('Pay it.', {}, headers)
  const [call] = body['tool_calls'] as unknown as readonly JsonObject[] // of /chat/sync
  return textIn(call, 'result') || textIn(call, 'error')
}

test('a person on their own machine has every right, whatever roles there are', async () => {
  await using door = await open()
  expect(await paid(door)).toBe('pay ran')
  const health = await door.get('/health')
  expect(health.body).toMatchObject({ status: 'ok' })
  const config = await door.get('/inspect/context')
  expect(config.text).toContain('"pay"')
})

test('unless a default role says otherwise', async () => {
  await using door = await open({ plugins: [['roles', { defaultRole: 'accountant' }]] })
  expect(await paid(door)).toBe('There is no tool "pay". There are: list_invoices.')
})

test('whoever comes with a key has what its roles allow, and "*" is none of them', async () => {
  const keys = Object.entries({
    clerk: ['accountant'],
    none: [],
    star: ['*'],
    both: ['*', 'accountant'],
  })
  await using door = await open(
    {
      plugins: [
        [
          'auth',
          {
            keys: keys.map(([name, roles]) => ({
              key: `env:KEY_${name.toUpperCase()}`,
              name,
              roles,
              scopes: ['*'],
            })),
          },
        ],
      ],
    },
    {
      env: Object.fromEntries(keys.map(([name]) => [`KEY_${name.toUpperCase()}`, keyOf(name)])),
    },
  )
  expect(await paid(door, by('clerk'))).toBe('There is no tool "pay". There are: list_invoices.')
  expect(await paid(door, by('both'))).toBe('There is no tool "pay". There are: list_invoices.')
  for (const who of ['none', 'star'])
    expect(await paid(door, by(who))).toBe(
      'There is no tool "pay", and no other one for whoever asks: answer without tools.',
    )
})

test('somebody without a role is told why the agent does nothing for them', async () => {
  await using door = await open(
    { plugins: [['auth', { keys: [{ key: 'env:KEY_NONE', name: 'none', scopes: ['*'] }] }]] },
    { env: { KEY_NONE: keyOf('none') } },
  )
  const events = await door.stream('Pay it.', {}, by('none'))
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      message: expect.stringMatching(/^You have no role here, so that the agent has no tools/),
    }),
  )
  const bundle = await door.get('/inspect/context', by('none'))
  expect(bundle.text).not.toContain('list_invoices')
})

test('the log and the files say whom roles leave without tools', async () => {
  await using door = await open()
  const { text } = await door.get('/inspect/health')
  expect(text).toContain('there are roles and no `defaultRole`')
})

test('an error of the model says where it was asked, without its key and its password', async () => {
  const key = 'sk-very-secret-key-of-the-model'
  await using door = await openDoor({
    script: reply.httpError(401, { message: `no: ${key}` }),
    manifest: {
      models: {
        main: {
          provider: 'openai-compatible',
          model: 'scripted',
          baseUrl: 'env:MODEL_URL',
          apiKey: 'env:MODEL_KEY',
        },
      },
    },
    env: { MODEL_URL: 'http://127.0.0.1:9/v1', MODEL_KEY: key },
  })
  const { text } = await door.say('Hello')
  expect(text).toContain('127.0.0.1 could not be called') // links are shortened to their host
  expect(text).not.toContain('[MASKED]')
  expect(text).not.toContain(key)
})

test('JSON is read in the charset that it says, and an address without NUL characters', async () => {
  await using door = await openDoor({ script: reply.text('Hello.') })
  const send = (type: string, body: Uint8Array): Promise<Response> =>
    fetch(`${door.url}/chat/sync`, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${door.token}` },
      body: new Uint8Array(body),
    })
  const message = JSON.stringify({ message: 'Köln?' })
  for (const [type, body] of [
    ['application/json', Buffer.from(message)],
    ['application/json; charset=UTF-8', Buffer.from(`\uFEFF${message}`)],
    ['application/json; charset=iso-8859-1', Buffer.from(message, 'latin1')],
    ['application/json; charset="utf-16le"', Buffer.from(message, 'utf16le')],
  ] as const) {
    expect((await send(type, body)).status).toBe(200)
    expect(JSON.stringify(door.model.requests.at(-1)?.body.messages)).toContain('Köln?')
  }
  expect((await send('application/json; charset=klingon', Buffer.from(message))).status).toBe(415)
  expect((await send('application/json', Buffer.from(message, 'latin1'))).status).toBe(400)
  for (const path of ['/sessions?tags=%00', '/sessions?q=a%00b', '/sessions?cursor=%00']) {
    const answer = await door.get(path)
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: { code: 'VALIDATION_ERROR' } },
    ])
  }
})
