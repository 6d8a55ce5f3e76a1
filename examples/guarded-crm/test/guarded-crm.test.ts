import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { LocalToken } from '@amodal/sdk'
import { createClient, type Client, type ClientEvent } from '@amodal/sdk/client'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCrm, type Crm } from '../src/crm.ts'

let crm: Crm
let model: ModelServer
let client: Client
let close: () => Promise<void>

beforeAll(async () => {
  crm = await startCrm('secret-of-the-crm')
  // Does what the message says: `METHOD endpoint body`, and then repeats what it was told.
  model = await startModelServer({
    script: ({ messages }) => {
      const last = messages.at(-1)
      const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content)
      if (last?.role === 'tool') return reply.text(text)
      const [, method = '', endpoint = '', body] = /^(\w+) (\S+) ?(\{.*\})?/s.exec(text) ?? []
      return reply.toolCalls([
        {
          name: 'request',
          arguments: {
            connection: 'crm',
            method,
            endpoint,
            ...(body === undefined ? {} : { data: JSON.parse(body) as object }),
          },
        },
      ])
    },
  })
  const dir = await mkdtemp(join(tmpdir(), 'amodal-guarded-'))
  await cp(join(import.meta.dirname, '../agent'), dir, {
    recursive: true,
    filter: (path) => !path.endsWith('.amodal'),
  })
  const env = {
    CRM_URL: crm.url,
    CRM_TOKEN: 'secret-of-the-crm',
    AMODAL_BASE_URL: model.url,
    AMODAL_MODEL: 'scripted',
  }
  const started = await startFolder({ dir, env, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const address = started.value.kernel.scope.get(HttpApp).address()
  client = createClient({
    url: `http://${address?.host}:${address?.port}`,
    credential: started.value.kernel.scope.get(LocalToken).text() ?? '',
  })
  close = async () => {
    await started.value.close('test')
    await Promise.all([model.close(), crm.close()])
    await rm(dir, { recursive: true, force: true })
  }
}, 60_000)
afterAll(() => close())

test('what may be read is read, and what may not be seen is not there', async () => {
  const { text } = await client.ask({ text: 'GET /customers?query=harbor' })
  expect(text).toContain('Blue Harbor Coffee')
  expect(text).not.toMatch(/536-90-4399|orders@blueharbor|12000|secret-of-the-crm/)
  expect(JSON.stringify(model.requests)).not.toMatch(
    /536-90-4399|orders@blueharbor|12000|secret-of-the-crm/,
  )
})

test('a note is written at once, a refund once a person approves it, a deletion never', async () => {
  await client.ask({ text: 'POST /customers/c1/notes {"text":"called back"}' })
  expect(crm.changes).toMatchObject([
    { path: '/customers/c1/notes', body: { text: 'called back' } },
  ])

  const waits = await client.ask({
    text: 'POST /customers/c1/refunds {"amount":120,"reason":"order 7"}',
  })
  expect(waits.pending).toMatchObject([
    {
      pending_input_type: 'approval',
      pending_input_context: {
        endpoint: '/customers/c1/refunds',
        method: 'POST',
        tier: 'confirm',
        connection_name: 'crm',
      },
    },
  ])
  expect(crm.changes).toHaveLength(1)
  await client.answer(waits.session, [{ id: waits.pending[0]?.id ?? '', approved: true }])
  await expect.poll(() => crm.changes.length).toBe(2)
  expect(crm.changes[1]).toMatchObject({
    body: { amount: 120, reason: 'order 7' },
    key: expect.any(String) as string,
  })

  const large = await client.ask({
    text: 'POST /customers/c1/refunds {"amount":900,"reason":"order 8"}',
  })
  expect(large.pending).toMatchObject([{ pending_input_context: { tier: 'review' } }])
  expect((await client.ask({ text: 'DELETE /customers/c1' })).text).toMatch(/not allowed/)
  expect(crm.changes).toHaveLength(2)
})

test('the stream says what was asked, for who draws a dialog of it', async () => {
  const seen: ClientEvent[] = []
  for await (const event of client.send({
    text: 'POST /customers/c2/refunds {"amount":20,"reason":"order 9"}',
  })) {
    seen.push(event)
    if (event.type === 'confirmation_required') break
  }
  expect(seen.at(-1)).toMatchObject({
    type: 'confirmation_required',
    endpoint: '/customers/c2/refunds',
    reason: expect.stringContaining('Pays money back') as string,
    params: { data: { amount: 20 } },
  })
})
