/**
 * A store has fields with the names that tools use for facts of their own, such as `key`: a
 * document is read, and deleted, by the key of the store.
 */
import { createAgent } from '@amodal/presets'
import { defineBundle, type JsonObject } from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { told } from '../security/support/told-script.ts'

const SETTINGS = {
  entity: {
    key: '{id}',
    schema: { id: { type: 'string' }, owner: { type: 'string' }, key: { type: 'string' } },
  },
}
const TEXT = { type: 'string' as const }
const OWN_NAMES = ['key', 'version', 'stale', 'trace', 'stored_at', 'payload'] as const

let door: Door
beforeAll(async () => {
  door = await openDoor({ script: told, files: { 'stores/settings.json': SETTINGS } })
})
afterAll(() => door[Symbol.asyncDispose]())

const call = async (name: string, args: JsonObject): Promise<JsonObject> => {
  const events = await door.stream(JSON.stringify([{ name, arguments: args }]))
  const result = events.find(({ type }) => type === 'tool_call_result')
  return JSON.parse(textIn(result, 'result')) as JsonObject // a result of a store is JSON
}

describe('a store with a field `key`', () => {
  test('is answered with the key of the document, which deletes that document and no other', async () => {
    await door.post('/api/stores/settings', { id: 'a', owner: 'Ann', key: 'b' })
    await door.post('/api/stores/settings', { id: 'b', owner: 'Bo', key: 'theme' })
    const { documents } = await call('query_store', {
      store: 'settings',
      filter: { owner: 'Ann' },
    })
    expect(documents).toEqual([
      { key: 'a', version: 1, payload: { id: 'a', owner: 'Ann', key: 'b' } },
    ])
    const [found] = documents as readonly { readonly key: string }[]
    expect(await call('delete_from_store', { store: 'settings', key: found?.key ?? '' })).toEqual({
      deleted: true,
      store: 'settings',
      key: 'a',
    })
    expect((await door.get('/api/stores/settings')).body).toMatchObject({
      total: 1,
      documents: [{ key: 'b', payload: { owner: 'Bo', key: 'theme' } }],
    })
  })
})

test('every name of our own may be a field of a document, also in its history', async () => {
  const model = await startModelServer({ script: reply.text('Hello.') })
  const agent = await createAgent({
    provider: 'openai-compatible',
    providerConfig: { baseUrl: model.url, model: 'scripted' },
    apiKey: 'sk-embedded-1234567890',
    bundle: defineBundle({
      name: 'desk',
      stores: [
        {
          name: 'parts',
          history: { versions: 2 },
          entity: {
            name: 'Part',
            key: '{id}',
            schema: { id: TEXT, ...Object.fromEntries(OWN_NAMES.map((name) => [name, TEXT])) },
          },
        },
      ],
    }),
  })
  const result = async (name: string, args: JsonObject): Promise<JsonObject> => {
    model.play(reply.toolsThenText({ name, arguments: args }, 'Done.'))
    const session = await agent.createSession()
    for await (const event of session.stream('Go'))
      if (event.type === 'tool_call_result') return JSON.parse(String(event.result)) as JsonObject
    return {}
  }
  const part = (text: string): JsonObject => ({
    id: 'p1',
    ...Object.fromEntries(OWN_NAMES.map((name) => [name, `${text} ${name}`])),
  })
  expect(await result('store_parts', part('old'))).toMatchObject({ key: 'p1', version: 1 })
  expect(await result('store_parts', part('new'))).toMatchObject({ key: 'p1', version: 2 })
  expect(await result('query_store', { store: 'parts', key: 'p1', history: true })).toEqual({
    store: 'parts',
    key: 'p1',
    versions: [
      { key: 'p1', version: 2, payload: part('new'), stored_at: expect.any(String) as string },
      { key: 'p1', version: 1, payload: part('old'), stored_at: expect.any(String) as string },
    ],
  })
  await agent.shutdown()
  await model.close()
})
