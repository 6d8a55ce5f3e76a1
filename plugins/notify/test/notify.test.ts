import confirmations from '@amodal/plugin-confirmations'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import queueMemory from '@amodal/plugin-queue-memory'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import subagents from '@amodal/plugin-subagents'
import {
  BundleSource,
  defineBundle,
  definePlugin,
  defineTool,
  explain,
  JobQueue,
  LOCAL_TENANT,
  ok,
  principalId,
  startAgent,
  unwrap,
  use,
  type JsonObject,
  type SessionId,
} from '@amodal/sdk'
import { endsWithToolResult, pluginContract, reply, startModelServer } from '@amodal/sdk/testing'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import notify from '../src/index.ts'

pluginContract(notify, {
  with: [
    use(secretsEnv, { masterKey: 'memory' }),
    use(outbound),
    use(loop),
    use(sessionsMemory),
    use(queueMemory),
  ],
})

const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`
const AMOUNT = 918_273_645
const PAY = { name: 'pay', arguments: { amount: AMOUNT } }
const paying = definePlugin({
  name: 'paying',
  version: '1.0.0',
  setup({ addTool }) {
    addTool(
      defineTool({
        name: 'pay',
        description: 'Pays.',
        readOnly: false,
        tier: 'confirm',
        input: z.object({ amount: z.number() }),
        execute: async ({ amount }) => ({ status: 'success', output: { paid: amount } }),
      }),
    )
  },
})

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver on this machine that answers with these statuses, and 200 after them. */
async function startReceiver(...statuses: readonly number[]) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const status = statuses[received.length] ?? 200
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(status, { 'retry-after': '1' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return {
    received,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/notices`,
  }
}

/** An agent whose model calls `pay`, also by a sub-agent where it is asked to delegate. */
async function start(url: string, block: object = {}) {
  const model = await startModelServer({
    script: (request) => {
      if (endsWithToolResult(request)) return reply.text('Done.')
      const text = JSON.stringify(request.messages.at(-1))
      return text.includes('delegate')
        ? reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'child task' } })
        : reply.toolCalls(PAY)
    },
  })
  const bundle = defineBundle({
    name: 'shop',
    models: {
      main: {
        provider: 'openai-compatible',
        model: 'scripted',
        baseUrl: model.url,
        apiKey: 'none',
      },
    },
  })
  const raw = {
    name: 'shop',
    notify: { url: 'env:NOTIFY_URL', secret: 'env:NOTIFY_SECRET', ...block },
  } as unknown as JsonObject // JSON as the file has it
  const files = definePlugin({
    name: 'files',
    version: '1.0.0',
    provides: [BundleSource],
    setup: ({ provide }) =>
      provide(BundleSource, () => ({
        where: 'test',
        load: () => Promise.resolve(ok({ ...bundle, manifest: { ...bundle.manifest, raw } })),
      })),
  })
  const started = unwrap(
    await startAgent([
      use(secretsEnv, {
        env: { NOTIFY_URL: url, NOTIFY_SECRET: SECRET },
        masterKey: 'memory',
      }),
      use(outbound),
      use(loop),
      use(prompt),
      use(modelOpenaiCompatible),
      use(sessionsMemory),
      use(queueMemory),
      use(confirmations),
      use(subagents),
      use(files),
      use(paying),
      use(notify),
    ]),
    (error) => ('failure' in error ? JSON.stringify(error.failure) : explain(error)),
  )
  onTestFinished(async () => {
    await started.close()
    await model.close()
  })
  const client = started.agent.as({ tenant: LOCAL_TENANT, principal: principalId('ann') })
  const send = async (text: string): Promise<SessionId> => {
    const sent = await client.send({ text })
    if (!sent.ok) throw new Error(sent.error.message)
    sent.value.frames.close()
    return sent.value.session
  }
  const asks = async (session: SessionId) => {
    const view = await client.session(session)
    return view.ok ? view.value.asks : []
  }
  return { ...started, client, send, asks }
}

const until = async <T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  let found: T | undefined
  await expect.poll(async () => (found = await find())).toBeDefined()
  if (found === undefined) throw new Error('nothing was found')
  return found
}

test('a chat that waits for a person is told once, signed, with a link that opens it', async () => {
  const { received, url } = await startReceiver()
  const agent = await start(url, { publicUrl: 'https://agent.example.com/' })
  const session = await agent.send('Pay the bill')
  const { headers, body } = await until(() => received[0])
  const [ask] = await agent.asks(session)
  const link = `https://agent.example.com/studio#/chat/${session}`
  const notice = JSON.parse(body) as { readonly data: object; readonly message: string }
  expect(notice).toMatchObject({
    type: 'input.requested',
    data: {
      tenant: 'local',
      session_id: session,
      principal: 'ann',
      ask_id: ask?.id,
      pending_input_type: 'approval',
      tool_name: 'pay',
      expires_at: expect.any(String) as string,
      url: link,
    },
  })
  expect(notice.message).toContain(`waits for an approval (pay). ${link}`)
  expect(body).not.toContain(String(AMOUNT)) // what is to be paid is shown to whoever opens it
  const at = String(headers['webhook-timestamp'])
  expect(headers['webhook-id']).toBe(ask?.id)
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64'))
      .update(`${ask?.id}.${at}.${body}`)
      .digest('base64')}`,
  )
  if (ask) await agent.client.answer(session, [{ id: ask.id, answer: { approved: true } }])
  await agent.send('Pay the next one')
  await until(() => received[1])
  expect(received).toHaveLength(2)
})

test('a sub-agent that asks names the conversation it belongs to', async () => {
  const { received, url } = await startReceiver()
  const agent = await start(url)
  const session = await agent.send('delegate it')
  const { body } = await until(() => received[0])
  expect(JSON.parse(body)).toMatchObject({ data: { session_id: session, tool_name: 'pay' } })
  await until(async () => (await agent.asks(session))[0])
  expect(received).toHaveLength(1)
})

test('a receiver that is away is told later, under the same id', async () => {
  const { received, url } = await startReceiver(503, 429)
  const agent = await start(url)
  await agent.send('Pay the bill')
  await until(() => received[2])
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('one that refuses it is a dead letter that says why', async () => {
  const { received, url } = await startReceiver(400)
  const agent = await start(url)
  await agent.send('Pay the bill')
  const queue = agent.kernel.scope.get(JobQueue)
  const dead = await until(async () => {
    const found = await queue.dead('notify.asks', { limit: 1 }, AbortSignal.timeout(30_000))
    return found.ok ? found.value.jobs[0] : undefined
  })
  expect(dead.reason).toBe('it answered 400')
  expect(received).toHaveLength(1)
})

test.each([
  [{ url: 'ftp://x' }, 'is no address'],
  [{ url: 'env:NOT_SET' }, 'NOT_SET is not set'],
  [{ secret: 'plain' }, 'a secret does not stand in a file'],
  [{ publicUrl: 'agent.example.com' }, 'publicUrl'],
  [{ on: 'always' }, 'on'],
])('%j is named with its line', async (block, expected) => {
  const { agent } = await start('http://127.0.0.1:9/', block)
  const issues = agent.bundle()?.issues ?? []
  expect(issues.map(({ message, file }) => `${file}: ${message}`).join('\n')).toContain(expected)
})
