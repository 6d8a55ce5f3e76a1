/**
 * Parts of an agent make names that meet: the second is left out with both files named, and the
 * others work.
 */
import type { JsonObject } from '@amodal/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { told } from '../security/support/told-script.ts'

const store = (field: string): JsonObject => ({
  entity: { key: '{id}', schema: { id: { type: 'string' }, [field]: { type: 'string' } } },
})
const TOOL = { description: 'Is made by hand.', confirm: false }
const HANDLER = "export default () => ({ by: 'hand' })"
const API = { baseUrl: 'http://127.0.0.1:9/api' }

let door: Door
beforeAll(async () => {
  door = await openDoor({
    script: told,
    files: {
      'stores/orders.json': store('text'),
      'stores/orders-batch.json': store('text'),
      'stores/notes.json': store('text'),
      'tools/store_notes/tool.json': TOOL,
      'tools/store_notes/handler.ts': HANDLER,
      'tools/query_store/tool.json': TOOL,
      'tools/query_store/handler.ts': HANDLER,
      'tools/fine/tool.json': TOOL,
      'tools/fine/handler.ts': HANDLER,
      'connections/Crm/spec.json': API,
      'connections/crm/spec.json': API,
      'agents/Checker/AGENT.md': 'You check.',
      'agents/checker/AGENT.md': 'You check, too.',
    },
  })
})
afterAll(() => door[Symbol.asyncDispose]())

test('an agent answers, and says by both files what is left out of it', async () => {
  await expect.poll(async () => textIn((await door.get('/health')).body, 'status')).toBe('degraded')
  const { body } = await door.get('/health')
  const problems = JSON.stringify(body['problems'])
  for (const [kept, leftOut] of [
    ['stores/orders-batch.json', 'stores/orders.json'],
    ['stores/notes.json', 'tools/store_notes/tool.json'],
    ['stores', 'tools/query_store/tool.json'],
    ['connections/Crm/spec.json', 'connections/crm/spec.json'],
    ['agents/Checker/AGENT.md', 'agents/checker/AGENT.md'],
  ] as const) {
    expect(problems).toContain(leftOut)
    expect(problems).toContain(kept)
  }
  const events = await door.stream(
    JSON.stringify([
      { name: 'fine', arguments: {} },
      { name: 'store_notes', arguments: { id: 'n1', text: 'kept' } },
      { name: 'query_store', arguments: { store: 'notes', key: 'n1' } },
      { name: 'store_orders_batch_batch', arguments: { items: [{ id: 'o1', text: 'x' }] } },
    ]),
  )
  const results = events
    .filter(({ type }) => type === 'tool_call_result')
    .map((event) => textIn(event, 'result'))
  expect(results.join('\n')).toContain('"by":"hand"')
  expect(results.join('\n')).toContain('"payload":{"id":"n1","text":"kept"}')
  expect(results.join('\n')).toContain('"keys":["o1"]')
  expect((await door.get('/api/stores')).body).toMatchObject({
    stores: [{ name: 'notes' }, { name: 'orders-batch', documentCount: 1 }],
  })
})
