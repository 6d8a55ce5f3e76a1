import assets from '@amodal/plugin-assets'
import { defineTool, use, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, describe, test } from 'vitest'
import { z } from 'zod'
import { connect, serving, until, type Serving } from './support/serving.ts'

const REVISIONS = {
  '2025-11-25': { versionNegotiation: { mode: 'legacy' } },
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const
const forms = { capabilities: { elicitation: { form: {} } } }

const order = (orders: unknown[]) =>
  defineTool({
    name: 'order',
    description: 'Orders something.',
    readOnly: false,
    tier: 'confirm',
    input: z.object({ what: z.string(), api_key: z.string().optional() }),
    execute(args) {
      orders.push(args)
      return Promise.resolve({ status: 'success', output: { ordered: args.what } })
    },
  })

const ordering = (what = 'bolts') =>
  reply.toolsThenText({ name: 'order', arguments: { what, api_key: 'hush' } }, 'Ordered.')

const contentOf = (result: { readonly structuredContent?: unknown }): JsonObject =>
  (result.structuredContent ?? {}) as JsonObject

describe.each(['2025-11-25', '2026-07-28'] as const)('ask, on %s', (revision) => {
  const options = REVISIONS[revision]

  test('sends a message, tells of its progress, and goes on with the session', async () => {
    const server = await serving({ script: reply.text(['One ', 'moment.']) })
    const client = await connect(server, options)
    const progress: (string | undefined)[] = []
    const first = await client.callTool(
      { name: 'ask', arguments: { message: 'Hello' } },
      { onprogress: ({ message }) => progress.push(message) },
    )
    expect(first.content).toEqual([{ type: 'text', text: 'One moment.' }])
    expect(contentOf(first)).toMatchObject({ status: 'complete', reason: 'model_stop' })
    expect(progress.join('')).toBe('One moment.')
    const { session_id } = contentOf(first) as { readonly session_id: string }
    const second = await client.callTool({
      name: 'ask',
      arguments: { message: 'Again', session_id },
    })
    expect(contentOf(second)['session_id']).toBe(session_id)
    const { body } = await server.get(`/sessions/${session_id}`)
    expect(body['message_count']).toBe(4)
  })

  test('files go with a message: by id, in base64, and as images of older clients', async () => {
    const server = await serving({ plugins: [use(assets)] })
    const client = await connect(server, options)
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const ask = (more: JsonObject) =>
      client.callTool({ name: 'ask', arguments: { message: 'look', ...more } })
    const asked = () => JSON.stringify(server.model.requests.at(-1)?.body.messages)
    await ask({ images: [{ mimeType: 'image/png', data: png }] })
    expect(asked()).toContain(png)
    const note = Buffer.from('On Friday.').toString('base64')
    await ask({
      assets: [
        { id: '6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0' },
        { data: note, mimeType: 'text/plain', name: 'n.txt' },
      ],
    })
    expect(asked()).toContain(png)
    expect(asked()).toContain('On Friday.')
    const alone = await client.callTool({
      name: 'ask',
      arguments: { images: [{ mimeType: 'image/png', data: png }] },
    })
    expect(contentOf(alone)['status']).toBe('complete')
    expect(asked()).not.toContain('"text"')
    const empty = await client.callTool({ name: 'ask', arguments: {} })
    expect(JSON.stringify(empty)).toContain('must not be empty')
    const none = await ask({ assets: [{ id: 'f'.repeat(64) }] })
    expect(none.isError).toBe(true)
    expect(JSON.stringify(none)).toContain('ASSET_NOT_FOUND')
  })

  test('an approval is asked with a form, and its parameters show no secret', async () => {
    const orders: unknown[] = []
    const server = await serving({ tools: [order(orders)], script: ordering() })
    const asked: string[] = []
    const client = await connect(server, { ...options, ...forms }, 'acme', (one) =>
      one.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(JSON.stringify(params))
        return { action: 'accept', content: { approved: true } }
      }),
    )
    const result = await client.callTool({ name: 'ask', arguments: { message: 'Order' } })
    expect(contentOf(result)).toMatchObject({
      status: 'complete',
      response: 'Ordered.',
      tool_calls: [{ tool_name: 'order', status: 'success', args: { api_key: '[REDACTED]' } }],
    })
    expect(orders).toEqual([{ what: 'bolts', api_key: 'hush' }])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('bolts')
    expect(asked[0]).not.toContain('hush')
  })

  test('who declines an approval refuses it', async () => {
    const orders: unknown[] = []
    const server = await serving({ tools: [order(orders)], script: ordering() })
    const client = await connect(server, { ...options, ...forms }, 'acme', (one) =>
      one.setRequestHandler('elicitation/create', () => ({ action: 'decline' })),
    )
    const result = await client.callTool({ name: 'ask', arguments: { message: 'Order' } })
    expect(contentOf(result)).toMatchObject({
      status: 'complete',
      tool_calls: [{ tool_name: 'order', status: 'error' }],
    })
    expect(orders).toEqual([])
  })

  test('an answer that does not fit is asked for again', async () => {
    const script = reply.toolsThenText(
      { name: 'ask_user', arguments: { question: 'How many?', options: ['one', 'two'] } },
      'Good.',
    )
    const server = await serving({ script })
    const answers = ['many', 'two']
    const asked: string[] = []
    const client = await connect(server, { ...options, ...forms }, 'acme', (one) =>
      one.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return { action: 'accept', content: { response: answers.shift() ?? 'two' } }
      }),
    )
    const result = await client.callTool({ name: 'ask', arguments: { message: 'Go' } })
    // the client checks the answer itself, or the server asks again
    expect(JSON.stringify(result)).toMatch(/complete|does not match/)
    expect(asked[0]).toBe('How many?')
  })

  test('without forms the result says what is open; the answer comes on any wire', async () => {
    const orders: unknown[] = []
    const server = await serving({
      tools: [order(orders)],
      script: ordering('nuts'),
    })
    const client = await connect(server, options)
    const first = await client.callTool({ name: 'ask', arguments: { message: 'Order' } })
    const { session_id, pending } = contentOf(first) as {
      readonly session_id: string
      readonly pending: readonly { readonly id: string }[]
    }
    expect(contentOf(first)).toMatchObject({ status: 'pending', pending: [{ type: 'approval' }] })
    const done = await client.callTool({
      name: 'answer_question',
      arguments: { session_id, id: pending[0]?.id ?? '', answer: { approved: true } },
    })
    expect(contentOf(done)).toMatchObject({ status: 'complete', response: 'Ordered.' })
    const again = await client.callTool({
      name: 'answer_question',
      arguments: { session_id, id: pending[0]?.id ?? '', answer: { approved: true } },
    })
    expect(contentOf(again)).toMatchObject({ error: { code: 'ASK_NOT_FOUND' } })

    const other = await client.callTool({ name: 'ask', arguments: { message: 'Order more' } })
    const open = contentOf(other) as typeof first & {
      readonly session_id: string
      readonly pending: readonly { readonly id: string }[]
    }
    const answered = await server.post('/ask-user-response', {
      session_id: open.session_id,
      id: open.pending[0]?.id ?? '',
      approved: true,
    })
    expect(answered.status).toBe(200)
    await until(() => orders.length === 2)
  })

  test('what was asked on the own protocol is answered here', async () => {
    const orders: unknown[] = []
    const server = await serving({ tools: [order(orders)], script: ordering() })
    const { body, status } = await server.post('/chat/sync', { message: 'Order' })
    expect(status).toBe(202)
    const client = await connect(server, options)
    const listed = await client.callTool({ name: 'list_sessions', arguments: { waiting: true } })
    expect(contentOf(listed)['sessions']).toMatchObject([{ session_id: body['session_id'] }])
    const session_id = String(body['session_id'])
    const read = await client.callTool({ name: 'read_session', arguments: { session_id } })
    const { pending } = contentOf(read) as { readonly pending: readonly { readonly id: string }[] }
    const done = await client.callTool({
      name: 'answer_question',
      arguments: { session_id, id: pending[0]?.id ?? '', answer: { approved: true } },
    })
    expect(contentOf(done)).toMatchObject({ status: 'complete', response: 'Ordered.' })
  })

  test('a failure of the model is an error with its code', async () => {
    const server = await serving({ script: reply.httpError(400) })
    const client = await connect(server, options)
    const result = await client.callTool({ name: 'ask', arguments: { message: 'Hello' } })
    expect(result.isError).toBe(true)
    expect(contentOf(result)).toMatchObject({ status: 'error', error: { code: 'MODEL_FAILED' } })
  })

  test('who cancels the request stops the run', async () => {
    const server = await serving({
      script: reply.text(['Well', '…'], { ending: { kind: 'stall', after: 1 } }),
    })
    const client = await connect(server, options)
    const controller = new AbortController()
    const asked = client.callTool(
      { name: 'ask', arguments: { message: 'Think' } },
      {
        signal: controller.signal,
        onprogress: () => controller.abort(),
      },
    )
    await expect(asked).rejects.toThrow()
    await until(async () => (await lastEnd(server)) === 'user_abort')
  })

  test('another tenant sees nothing of a session', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    const client = await connect(server, options)
    const mine = await client.callTool({ name: 'ask', arguments: { message: 'Hello' } })
    const { session_id } = contentOf(mine) as { readonly session_id: string }
    const other = await connect(server, options, 'bolt')
    for (const [name, args] of [
      ['ask', { message: 'Hello', session_id }],
      ['read_session', { session_id }],
      ['stop_session', { session_id }],
      ['answer_question', { session_id, id: 'x', answer: {} }],
    ] as const) {
      const theirs = await other.callTool({ name, arguments: args })
      const unknown = await other.callTool({
        name,
        arguments: { ...args, session_id: 'sess_unknown' },
      })
      expect(contentOf(theirs)).toMatchObject({ error: { code: 'SESSION_NOT_FOUND' } })
      expect(JSON.stringify(theirs).replaceAll(session_id, 'sess_unknown')).toBe(
        JSON.stringify(unknown),
      )
    }
  })
})

async function lastEnd(server: Serving): Promise<unknown> {
  const { body } = await server.get('/sessions')
  const [session] = body['sessions'] as readonly { readonly last_end?: { reason: string } }[]
  return session?.last_end?.reason
}
