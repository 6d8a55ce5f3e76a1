/**
 * The database commits and its answer is lost: what happened is told to have happened, or to be
 * unknown, and is there once.
 */
import type { JsonObject } from '@amodal/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { told } from '../security/support/told-script.ts'
import { outcomesOf } from './support/outcomes.ts'
import { startCuttingProxy, type CuttingProxy } from '../support/cutting-proxy.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

let postgres: Postgres
let proxy: CuttingProxy
let door: Door
beforeAll(async () => {
  postgres = await startPostgres()
  proxy = await startCuttingProxy(await postgres.createDatabase())
  door = await openDoor({
    preset: 'production',
    script: told,
    manifest: { stores: { backend: 'postgres', postgresUrl: proxy.url } },
    files: {
      'stores/notes.json': {
        entity: { key: '{id}', schema: { id: { type: 'string' }, text: { type: 'string' } } },
        history: { versions: 5 },
      },
    },
  })
})
afterAll(async () => {
  await door[Symbol.asyncDispose]()
  await proxy.close()
  await postgres.stop()
})

const call = async (name: string, args: JsonObject): Promise<JsonObject | undefined> =>
  (await door.stream(JSON.stringify([{ name, arguments: args }]))).find(
    ({ type }) => type === 'tool_call_result',
  )
const document = async (id: string): Promise<JsonObject> =>
  (await door.get(`/api/stores/notes/${id}`)).body

test.each([1, 3])(
  'a store that is written to: asked again under the same key after %i answers that were lost',
  async (times) => {
    const id = `n${times}`
    await call('store_notes', { id: 'warm', text: 'so that its connection has spoken of stores' })
    const before = proxy.cuts
    proxy.arm('stores_database_call', times)
    const result = await call('store_notes', { id, text: 'kept' })
    expect(proxy.cuts - before).toBe(times)
    expect(result).toMatchObject({ status: 'success' })
    expect(JSON.parse(textIn(result, 'result'))).toMatchObject({ stored: true, version: 1 })
    expect(await document(id)).toMatchObject({
      document: { version: 1, payload: { text: 'kept' } },
      history: [],
    })
  },
)

test('a document that is deleted is told to be deleted, and one that is written over HTTP to be stored', async () => {
  await call('store_notes', { id: 'gone', text: 'x' })
  const before = proxy.cuts
  proxy.arm('stores_database_call', 1)
  expect(await call('delete_from_store', { store: 'notes', key: 'gone' })).toMatchObject({
    status: 'success',
    result: expect.stringContaining('"deleted":true'),
  })
  proxy.arm('stores_database_call', 1)
  expect(await door.post('/api/stores/notes', { id: 'api', text: 'y' })).toMatchObject({
    status: 201,
    body: { version: 1 },
  })
  expect(proxy.cuts - before).toBe(2)
  expect(await document('api')).toMatchObject({ document: { version: 1 } })
})

test('a note is told to be noted', async () => {
  await call('remember', { text: 'The workshop opens at nine.' })
  const before = proxy.cuts
  proxy.arm('memory_note', 1)
  expect(await call('remember', { text: 'It closes at six.' })).toMatchObject({
    status: 'success',
    result: expect.stringMatching(/^Noted as m/),
  })
  expect(proxy.cuts - before).toBe(1)
  const { memories } = (await door.get('/api/memory')).body
  expect(memories).toHaveLength(2)
})

test('where no answer ever comes, the outcome is unknown: it may be there', async () => {
  proxy.arm('stores_database_call', Number.MAX_SAFE_INTEGER)
  const begun = await door.stream(
    JSON.stringify([{ name: 'store_notes', arguments: { id: 'doubt', text: 'z' } }]),
  )
  proxy.arm('', 0)
  expect(begun.find(({ type }) => type === 'tool_call_result')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('Whether it took effect is unknown'),
  })
  expect(await document('doubt')).toMatchObject({ document: { version: 1 } })
  // What a person needs to settle it stands with the outcome.
  const [outcome] = await outcomesOf(
    door,
    textIn(
      begun.find(({ type }) => type === 'init'),
      'session_id',
    ),
  )
  expect(outcome).toMatchObject({
    status: 'unknown',
    code: 'OUTCOME_UNKNOWN',
    in_doubt: [
      {
        call: outcome?.call,
        name: 'store_notes',
        key: `${String(outcome?.run)}:${String(outcome?.call)}`,
        keyed: true,
        args: { id: 'doubt', text: 'z' },
      },
    ],
  })
}, 60_000)
