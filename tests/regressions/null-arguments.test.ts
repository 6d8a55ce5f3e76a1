/**
 * Models write null where they mean nothing, and numbers in quotes: a call means the same with
 * them, whatever tool it is of.
 */
import type { Json, JsonObject } from '@amodal/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { told } from '../security/support/told-script.ts'

const NOTES = {
  entity: {
    key: '{id}',
    schema: {
      id: { type: 'string' },
      stars: { type: 'number' },
      text: { type: 'string', nullable: true },
    },
  },
}
const ECHO = {
  description: 'Gives its arguments back.',
  parameters: {
    type: 'object',
    properties: {
      n: { type: 'integer' },
      size: { type: 'number', default: 5 },
      note: { type: 'string' },
      code: { type: ['string', 'integer'] },
      empty: { type: ['string', 'null'] },
      flags: { type: 'array', items: { $ref: '#/$defs/flag' } },
      inner: {
        anyOf: [
          { type: 'object', properties: { n: { type: 'number' }, note: { type: 'string' } } },
          { type: 'null' },
        ],
      },
    },
    required: ['n'],
    additionalProperties: false,
    $defs: { flag: { type: 'boolean' } },
  },
  confirm: false,
}
const HANDLER = 'export default (args) => ({ given: args })'

let door: Door
beforeAll(async () => {
  door = await openDoor({
    script: told,
    files: {
      'stores/notes.json': NOTES,
      'tools/echo/tool.json': ECHO,
      'tools/echo/handler.ts': HANDLER,
      'tools/ping/tool.json': { description: 'Answers.', confirm: false },
      'tools/ping/handler.ts': HANDLER,
    },
  })
})
afterAll(() => door[Symbol.asyncDispose]())

const call = async (name: string, args: JsonObject | string): Promise<JsonObject | undefined> =>
  (await door.stream(JSON.stringify([{ name, arguments: args }]))).find(
    ({ type }) => type === 'tool_call_result',
  )
const resultOf = async (name: string, args: JsonObject | string): Promise<Json> => {
  const result = await call(name, args)
  // of these tools
  return JSON.parse(textIn(result, 'result') || JSON.stringify(textIn(result, 'error'))) as Json
}

test('a store is read and written with nulls and numbers in quotes', async () => {
  expect(await resultOf('store_notes', { id: 'n1', stars: '4.5', text: null })).toMatchObject({
    stored: true,
    key: 'n1',
  })
  await resultOf('store_notes', { id: '12', stars: 1, text: 'null' })
  const query = { store: 'notes', key: null, filter: null, history: 'false', limit: '1' }
  expect(await resultOf('query_store', { ...query, sort: '-stars' })).toMatchObject({
    total: 2,
    documents: [{ key: 'n1', payload: { id: 'n1', stars: 4.5, text: null } }],
  })
  expect(await resultOf('query_store', { store: 'notes', filter: { text: null } })).toMatchObject({
    total: 1,
    documents: [{ key: 'n1' }],
  })
})

test("a tool of the agent's folder gets what its parameters say", async () => {
  const given = {
    n: '7',
    size: null,
    note: null,
    code: '12',
    empty: null,
    flags: ['true', false],
    inner: { n: '-1.5e2', note: null },
  }
  expect(await resultOf('echo', given)).toEqual({
    given: {
      n: 7,
      size: 5,
      code: '12',
      empty: null,
      flags: [true, false],
      inner: { n: -150 },
    },
  })
})

test.each(['', 'null', '""', ' {} '])('a tool without parameters is called with %j', async (args) =>
  expect(await resultOf('ping', args)).toEqual({ given: {} }),
)

test.each([
  [{ n: null }, 'n: must be integer'],
  [{ n: '7.5' }, 'n: must be integer'],
  [{ n: '12345678901234567890' }, 'n: must be integer'],
  [{ n: 1, flags: ['yes'] }, 'flags.0: must be boolean'],
  [{ n: 1, more: null }, 'more: is no parameter'],
])('%j is refused with the name of what does not fit', async (args, message) =>
  expect(textIn(await call('echo', args), 'error')).toContain(message),
)
