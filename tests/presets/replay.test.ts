import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { main } from '@amodal/presets/cli'
import {
  Agent,
  LOCAL_TENANT,
  principalId,
  type AgentClient,
  type Failure,
  type Result,
  type SessionId,
} from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWhole } from '../support/random.ts'

/** Sessions of each shape. */
const EACH = isWhole() ? 13 : 1

let dir: string
let service: Server
let model: ModelServer
let effects = 0
let asked = 0
let compactions = 0
const sessions: SessionId[] = []

function unwrap<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Error(`${result.error.code}: ${result.error.message}`)
}

interface Sent {
  readonly role: string
  readonly content?: unknown
}

const textOf = (message: Sent | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '')

const request = (method: string, endpoint: string, data?: object) => ({
  name: 'request',
  arguments: {
    connection: 'desk',
    method,
    endpoint,
    intent: method === 'GET' ? 'read' : 'write',
    ...(data && { data }),
  },
})

/** A model that does what the last message of the user says. */
function answer(messages: readonly Sent[]): ReturnType<typeof reply.text> {
  asked++
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const order = textOf(messages[at])
  const results = messages.slice(at + 1).filter(({ role }) => role === 'tool').length
  if (results > 0) return reply.text(`Done: ${textOf(messages.at(-1)).slice(0, 60)}`)
  if (order.includes('Read all')) return reply.toolCalls([request('GET', '/long')])
  if (order.includes('Read twice'))
    return reply.toolCalls([request('GET', '/a'), request('GET', '/b')])
  if (order.includes('Read')) return reply.toolCalls([request('GET', '/a')])
  if (order.includes('Write')) return reply.toolCalls([request('POST', '/a', { total: 1 })])
  if (order.includes('Fail')) return reply.toolCalls([request('GET', '/broken')])
  if (order.includes('Ask'))
    return reply.toolCalls([
      { name: 'ask_user', arguments: { questions: [{ id: 'q', text: 'Which?', type: 'text' }] } },
    ])
  if (order.includes('Delegate'))
    return reply.toolCalls([
      { name: 'dispatch_task', arguments: { agent_name: 'helper', prompt: 'Read it for me.' } },
    ])
  return reply.text(`You said: ${order.slice(0, 40)}`)
}

async function converse(client: AgentClient, ...orders: readonly string[]): Promise<SessionId> {
  let session: SessionId | undefined
  for (const text of orders) {
    const turn = unwrap(await client.ask({ text, ...(session && { session }) }))
    session = turn.session
    if (text.includes('and wait')) break
    let open = turn.pending
    while (open.length > 0) {
      const answers = open.map(({ id, type }) => ({
        id,
        answer:
          type === 'question'
            ? { answers: { q1: 'The first.' } }
            : { approved: !text.includes('refuse') },
      }))
      unwrap(await client.answer(session, answers))
      const frames = unwrap(await client.follow(session, undefined))
      while (await frames.wait()) frames.take()
      open = unwrap(await client.session(session)).asks
    }
  }
  if (!session) throw new Error('nothing was said')
  const { entries } = unwrap(await client.session(session))
  compactions += entries.filter(({ kind }) => kind === 'compacted').length
  return session
}

const SHAPES: readonly (readonly string[])[] = [
  ['Hello'],
  ['Read it', 'Thanks'],
  ['Read twice'],
  ['Write it'],
  ['Write it, and they refuse'],
  ['Fail please', 'Hello'],
  ['Ask me', 'Read it'],
  ['Delegate it'],
  ['Hello', 'Ask me, and wait'],
  Array.from({ length: 10 }, (_, at) => `Read all of part ${at}${' and more'.repeat(500)}`),
]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'amodal-replay-'))
  service = createServer((req, response) => {
    if (req.method !== 'GET') effects++
    response.setHeader('content-type', 'application/json')
    response.statusCode = req.url?.includes('broken') ? 500 : 200
    const pages = req.url?.includes('long') ? 'A long page. '.repeat(500) : ''
    response.end(JSON.stringify({ path: req.url, total: 42, pages }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const address = service.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  model = await startModelServer({
    script: ({ messages }) => {
      // Counted as a provider counts, so that a long conversation is summed up.
      const promptTokens = Math.ceil(JSON.stringify(messages).length / 4)
      return { ...answer(messages), usage: { promptTokens } }
    },
  })
  const provider = { provider: 'openai-compatible', baseUrl: model.url, apiKey: 'none' }
  const files = {
    'amodal.json': JSON.stringify({
      name: 'replayed',
      models: { main: { ...provider, model: 'scripted', contextWindow: 12_000 } },
    }),
    'agents/main/AGENT.md': 'Do as you are told.\n',
    'agents/helper/AGENT.md': '---\nname: helper\ndescription: Reads\n---\nRead.\n',
    'connections/desk/spec.json': JSON.stringify({ baseUrl: `http://127.0.0.1:${port}` }),
    'connections/desk/access.json': JSON.stringify({
      endpoints: { 'POST /a': { returns: ['total'], confirm: true } },
    }),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  const started = await startFolder({ dir, env: {}, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { close, kernel } = started.value
  const client = kernel.scope
    .get(Agent)
    .as({ tenant: LOCAL_TENANT, principal: principalId('local') })
  for (let round = 0; round < EACH; round++)
    for (const shape of SHAPES) sessions.push(await converse(client, ...shape))
  await close('recorded')
}, 600_000)

afterAll(async () => {
  service.close()
  await model.close()
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

async function replay(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const code = await main({
    argv: ['replay', '--dir', dir, ...argv],
    env: {},
    write: (text) => void (out += text),
    fail: (text) => void (err += text),
    input: (async function* () {})(),
    signal: new AbortController().signal,
  })
  return { code, out, err }
}

test('recorded conversations replay to the same journal, and nobody outside hears of it', async () => {
  const before = { asked, effects }
  expect(compactions).toBeGreaterThan(0)
  expect(before.effects).toBeGreaterThan(0)
  const { code, err, out } = await replay(...sessions)
  expect(out.split('\n').filter((line) => !line.includes('the same'))).toEqual([''])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.match(/the same/g)).toHaveLength(SHAPES.length * EACH)
  expect({ asked, effects }).toEqual(before)
}, 600_000)

test('an unknown session is told', async () => {
  expect(await replay('sess_unknown')).toMatchObject({
    code: 1,
    err: expect.stringContaining('there is no session "sess_unknown"') as string,
  })
})
