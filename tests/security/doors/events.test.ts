import {
  SHARED_TENANT,
  announce,
  definePlugin,
  tenantId,
  use,
  type Generation,
  type JsonObject,
} from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { startPostgres } from '../../support/postgres.ts'
import { openDoor, textIn, type Door } from '../support/door.ts'
import { as, keysOf } from '../support/people.ts'

const SSN = '536-22-8145'
const PEOPLE = {
  anna: { tenant: 'acme' },
  amos: { tenant: 'acme' },
  bert: { tenant: 'beta' },
  reader: { tenant: 'acme', scopes: ['sessions'] },
  talker: { tenant: 'acme', scopes: ['chat'] },
}

interface Listening {
  readonly heard: readonly JsonObject[]
  leave(): Promise<void>
}

/** Reads somebody's events as they come. */
async function listen(door: Door, who: string): Promise<Listening> {
  const stop = new AbortController()
  const response = await fetch(`${door.url}/api/events`, { headers: as(who), signal: stop.signal })
  expect(response.status).toBe(200)
  const heard: JsonObject[] = []
  const read = (async () => {
    let rest = ''
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines)
        // one object a line
        if (line.startsWith('data: ')) heard.push(JSON.parse(line.slice(6)) as JsonObject)
    }
  })().catch(() => undefined)
  return {
    heard,
    async leave() {
      stop.abort()
      await read
    },
  }
}

const short = (event: JsonObject) =>
  ['type', 'sessionId', 'storeName']
    .map((field) => textIn(event, field))
    .filter(Boolean)
    .join(' ')

test.each(['tenant', 'principal'])(
  'events of sessions are for those who see them in their list (sessions: %s)',
  async (sessions) => {
    let generation: (() => Generation) | undefined
    const changes = definePlugin({
      name: 'changes',
      version: '1.0.0',
      setup: (kit) => {
        generation = kit.generation
      },
    })
    await using door = await openDoor({
      env: keysOf(PEOPLE),
      manifest: { plugins: [['tenant', { sessions }]] },
      entries: [use(changes)],
      script: (request) => reply.text(request.messages.at(-1)?.role === 'user' ? 'Hello.' : 'done'),
    })
    expect((await door.get('/api/events')).status).toBe(401)
    expect((await door.get('/api/events', as('talker'))).status).toBe(403)
    const [anna, amos, bert, reader] = await Promise.all(
      ['anna', 'amos', 'bert', 'reader'].map((who) => listen(door, who)),
    )

    const id = textIn((await door.say('hello', {}, as('anna'))).body, 'session_id')
    await fetch(`${door.url}/sessions/${id}`, {
      method: 'PATCH',
      headers: { ...as('anna'), 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Card of ${SSN}` }),
    })
    await door.say('more', { session_id: id }, as('anna'))
    await fetch(`${door.url}/sessions/${id}`, { method: 'DELETE', headers: as('anna') })
    if (generation) {
      announce(
        generation(),
        { type: 'store_updated', storeName: 'orders', operation: 'put' },
        { tenant: tenantId('acme') },
      )
      announce(generation(), { type: 'manifest_changed' }, { tenant: SHARED_TENANT })
    }
    for (const one of [anna, amos, bert, reader])
      await expect.poll(() => one?.heard.at(-1)?.['type']).toBe('manifest_changed')

    const ofSession = [
      `session_created ${id}`,
      `session_updated ${id}`,
      `session_updated ${id}`,
      `session_updated ${id}`,
      `session_updated ${id}`,
      `session_deleted ${id}`,
    ]
    expect(anna?.heard.map(short)).toEqual([
      ...ofSession,
      'store_updated orders',
      'manifest_changed',
    ])
    expect(
      anna?.heard.every(
        ({ seq, timestamp }) => typeof seq === 'number' && typeof timestamp === 'string',
      ),
    ).toBe(true)
    expect(amos?.heard.map(short)).toEqual([
      ...(sessions === 'tenant' ? ofSession : []),
      'store_updated orders',
      'manifest_changed',
    ])
    expect(bert?.heard.map(short)).toEqual(['manifest_changed'])
    // A credential that is not good for stores does not hear of them either.
    expect(reader?.heard.map(short)).toEqual([
      ...(sessions === 'tenant' ? ofSession : []),
      'manifest_changed',
    ])
    // What may not leave does not leave in a title.
    expect(anna?.heard.find(({ title }) => title !== undefined)).toMatchObject({
      appId: 'door',
      title: expect.stringContaining('Card of') as string,
    })
    expect(JSON.stringify([anna?.heard, amos?.heard])).not.toContain(SSN)
    for (const one of [anna, amos, bert, reader]) await one?.leave()
  },
)

test('what the server says of itself and of whoever asks holds no credential', async () => {
  const secret = 'sk-planted-4711'
  await using door = await openDoor({
    env: { ...keysOf(PEOPLE), CRM_TOKEN: secret, MODEL_KEY: secret },
    script: reply.text('Hello.'),
    files: {
      'connections/crm/spec.json': {
        baseUrl: 'http://127.0.0.1:9',
        auth: { type: 'bearer', token: 'env:CRM_TOKEN' },
      },
    },
    manifest: {
      description: 'Runs the ops desk',
      models: {
        main: {
          provider: 'openai-compatible',
          model: 'scripted',
          baseUrl: `http://user:${secret}@127.0.0.1:9/v1?key=${secret}`,
          apiKey: 'env:MODEL_KEY',
          headers: { 'x-key': secret },
        },
      },
    },
  })
  const { body, text } = await door.get('/api/config', as('anna'))
  expect(body).toMatchObject({
    appId: 'door',
    name: 'door',
    version: '1.0.0',
    description: 'Runs the ops desk',
    models: {
      main: { provider: 'openai-compatible', model: 'scripted', baseUrl: 'http://127.0.0.1:9/v1' },
    },
    envRefs: expect.arrayContaining([
      { name: 'MODEL_KEY', connection: null, set: true },
      { name: 'CRM_TOKEN', connection: 'crm', set: true },
    ]) as object,
    nodeVersion: process.version,
    uptime: expect.any(Number) as number,
  })
  expect(text).not.toContain(secret)
  expect((await door.get('/api/config', as('reader'))).status).toBe(403)
  expect((await door.get('/api/me', as('reader'))).body).toEqual({
    id: expect.any(String) as string,
    role: null,
    roles: [],
    scopes: ['sessions'],
    name: 'reader',
    scope_id: 'acme',
  })
  expect([
    (await door.get('/api/me')).status,
    (await door.get('/api/me', { 'x-api-key': 'none' })).status,
  ]).toEqual([401, 401])
})

test('where nobody is asked, it is somebody on this machine, whose tasks are worked on while they are away', async () => {
  await using door = await openDoor({
    script: (request) =>
      JSON.stringify(request.messages).includes('break')
        ? reply.httpError(400)
        : reply.text('Hello.'),
  })
  expect((await door.get('/api/me')).body).toMatchObject({
    id: 'local-dev',
    role: 'ops',
    scope_id: null,
  })
  for (const [prompt, status] of [
    ['look', 'completed'],
    ['break', 'error'],
  ] as const) {
    const { status: code, body } = await door.post('/task', { prompt })
    expect(code).toBe(202)
    await expect
      .poll(async () => (await door.get(`/task/${textIn(body, 'task_id')}`)).body)
      .toMatchObject({ status })
    const { text } = await door.get(`/task/${textIn(body, 'task_id')}/stream`)
    expect(text.match(/^data: .*"type":"done"/gm)).toHaveLength(1)
    expect(text).not.toContain('event: ')
  }
})

test('servers on one Postgres tell each other what happens at either, to the same people', async () => {
  const postgres = await startPostgres()
  try {
    const options = {
      preset: 'production' as const,
      env: { ...keysOf(PEOPLE), DATABASE_URL: await postgres.createDatabase() },
      script: reply.text('Hello.'),
    }
    await using here = await openDoor(options)
    await using there = await openDoor(options)
    const [anna, bert] = [await listen(here, 'anna'), await listen(here, 'bert')]
    // The other one hears in its own time that somebody listens here.
    await expect
      .poll(
        async () => {
          await there.say('hello', {}, as('anna'))
          return anna.heard.length
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBeGreaterThan(0)
    const before = anna.heard.length
    const id = textIn((await there.say('more', {}, as('anna'))).body, 'session_id')
    await expect
      .poll(() =>
        anna.heard
          .slice(before)
          .map(short)
          .filter((one) => one.endsWith(id)),
      )
      .toEqual([`session_created ${id}`, `session_updated ${id}`])
    expect(bert.heard).toEqual([])
    await Promise.all([anna.leave(), bert.leave()])
  } finally {
    await postgres.stop()
  }
})
