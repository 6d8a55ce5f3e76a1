import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
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

/** Sessions of each shape: 30 in the whole run. */
const EACH = isWhole() ? 6 : 1

let dir: string
let service: Server
let model: ModelServer
let requests = 0
let prompts = 0
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

const tool = (name: string, args: Readonly<Record<string, unknown>>) => ({
  name,
  arguments: args,
})

/** A model that follows its skill: one that says `credit` has it make other calls. */
function answer(messages: readonly Sent[]): ReturnType<typeof reply.text> {
  prompts++
  const everything = messages.map(textOf).join('\n')
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const order = textOf(messages[at])
  const results = messages.slice(at + 1).filter(({ role }) => role === 'tool').length
  const credits = everything.includes('credit the customer')
  if (order.includes('Loop')) {
    return results > 0 && !credits
      ? reply.text('Done looping.')
      : reply.toolCalls([request('GET', `/loop/${results}`)])
  }
  if (order.includes('Refund')) {
    if (results === 0) return reply.toolCalls([request('GET', '/order')])
    if (results === 1)
      return reply.toolCalls([request('POST', credits ? '/credits' : '/refunds', { total: 1 })])
    return reply.text(`Done: ${textOf(messages.at(-1)).slice(0, 200)}`)
  }
  if (order.includes('Delegate') && results === 0)
    return reply.toolCalls([
      tool('dispatch_task', { agent_name: 'helper', prompt: 'Look at the order.' }),
    ])
  if (order.includes('Look at'))
    return results === 0
      ? reply.toolCalls([request('GET', '/order')])
      : reply.text('The order is there.')
  if (order.includes('Activate') && results === 0)
    return reply.toolCalls([tool('activate_skill', { name: 'Refunds' })])
  return reply.text(`You said: ${order.slice(0, 40)}, ${credits ? 'credit' : 'refund'}`)
}

async function converse(client: AgentClient, ...orders: readonly string[]): Promise<SessionId> {
  let session: SessionId | undefined
  for (const text of orders) {
    const turn = unwrap(await client.ask({ text, ...(session && { session }) }))
    session = turn.session
    let open = turn.pending
    while (open.length > 0) {
      unwrap(
        await client.answer(
          session,
          open.map(({ id }) => ({ id, answer: { approved: true } })),
        ),
      )
      const frames = unwrap(await client.follow(session, undefined))
      while (await frames.wait()) frames.take()
      open = unwrap(await client.session(session)).asks
    }
  }
  if (!session) throw new Error('nothing was sent')
  return session
}

const SHAPES: readonly (readonly string[])[] = [
  ['Hello'],
  ['Refund it', 'Thanks'],
  ['Delegate it'],
  ['Hello', 'Loop it'],
  ['Refund this', 'Delegate that', 'Hello'],
]

const SKILL = [
  '---',
  'name: Refunds',
  'description: How money is returned',
  '---',
  '',
  '## Behavior',
  '',
  '1. Look at the order.',
  '2. Then refund the customer in full.',
  '3. Say what was done.',
  '',
].join('\n')

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

async function record(root: string, shapes: typeof SHAPES): Promise<readonly SessionId[]> {
  const started = await startFolder({ dir: root, env: {}, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { close, kernel } = started.value
  const client = kernel.scope
    .get(Agent)
    .as({ tenant: LOCAL_TENANT, principal: principalId('local') })
  const recorded: SessionId[] = []
  for (const shape of shapes) recorded.push(await converse(client, ...shape))
  await close('recorded')
  return recorded
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'amodal-replay-change-'))
  service = createServer((req, response) => {
    requests++
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ path: req.url, total: 42 }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const address = service.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  model = await startModelServer({ script: ({ messages }) => answer(messages) })
  const provider = { provider: 'openai-compatible', baseUrl: model.url, apiKey: 'none' }
  await write(dir, {
    'amodal.json': `${JSON.stringify(
      {
        name: 'changing',
        models: { main: { ...provider, model: 'scripted', contextWindow: 64_000 } },
        // Told of each approval that somebody has to give: not of those of a replay.
        notify: { url: `http://127.0.0.1:${port}/notice` },
      },
      null,
      2,
    )}\n`,
    'agents/main/AGENT.md': 'Do as you are asked.\nBe friendly.\n',
    'agents/helper/AGENT.md': '---\nname: helper\ndescription: Reads\n---\nRead.\n',
    'skills/refunds/SKILL.md': SKILL,
    'knowledge/rules.md': '# Rules\n\nNo returns after a year.\n',
    'connections/desk/spec.json': JSON.stringify({ baseUrl: `http://127.0.0.1:${port}` }),
    'connections/desk/access.json': JSON.stringify({
      endpoints: {
        'POST /refunds': { returns: ['total'], confirm: true },
        'POST /credits': { returns: ['total'], confirm: true },
      },
    }),
    'drafts/refunds.md': SKILL.replace('refund the customer', 'credit the customer'),
    'drafts/prompt.md': 'Do as you are asked.\nBe brief.\n',
    'drafts/rules.md': '# Rules\n\nNo returns after a month.\n',
  })
  const shapes = Array.from({ length: EACH }, () => SHAPES).flat()
  sessions.push(...(await record(dir, shapes)))
}, 600_000)

afterAll(async () => {
  service.close()
  await model.close()
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

async function replay(
  root: string,
  ...argv: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const code = await main({
    argv: ['replay', '--dir', root, ...argv],
    env: {},
    write: (text) => void (out += text),
    fail: (text) => void (err += text),
    input: (async function* () {})(),
    signal: new AbortController().signal,
  })
  return { code, out, err }
}

const linesOf = (out: string): readonly string[] => out.split('\n').map((line) => line.trimEnd())

test('one changed word is named with its file and line in every session, and nothing is called', async () => {
  const before = requests
  const { code, err, out } = await replay(dir, ...sessions, '--with', 'skill=drafts/refunds.md')
  expect(err).toBe('')
  const lines = linesOf(out)
  expect(lines[1]).toBe('Files that differ: skills/refunds/SKILL.md')
  for (const session of sessions) {
    const at = lines.findIndex((line) => line.startsWith(`${session}: `))
    expect(lines[at]).toMatch(
      /: differs at step 1 \(entry \d+\): prompt, section skills of plugin skills, byte \d+; skills\/refunds\/SKILL\.md:9$/,
    )
    expect(lines.slice(at + 1, at + 4)).toEqual([
      '    word:   "refund" → "credit"',
      expect.stringMatching(/before: .*Then refund the customer in full/),
      expect.stringMatching(/after: {2}.*Then credit the customer in full/),
    ])
  }
  expect(out).toContain(`${sessions.length} sessions: 0 the same, ${sessions.length} differ\n`)
  expect(code).toBe(1)
  expect(requests).toBe(before)
  expect(await readdir(join(dir, '.amodal', 'changed'))).toEqual([])
}, 600_000)

test('the model goes on by itself: calls of the record have its results, others are refused', async () => {
  const before = requests
  const { out } = await replay(
    dir,
    sessions[1] ?? '',
    '--with',
    'skill=drafts/refunds.md',
    '--json',
  )
  const report = JSON.parse(out) as {
    branches: { recorded: Steps; replayed: Steps }[]
    modelCalls: number
    refused: number
  }
  type Steps = { text: string; calls: { name: string; args: object; by?: string }[] }[]
  const [branch] = report.branches
  expect(branch?.recorded.map(({ calls }) => calls.map(({ by, name }) => [name, by]))).toEqual([
    [['request', undefined]],
    [['request', undefined]],
    [],
    [],
  ])
  expect(branch?.replayed.map(({ calls }) => calls.map(({ by, name }) => [name, by]))).toEqual([
    [['request', 'record']],
    [['request', 'refused']],
    [],
    [],
  ])
  expect(branch?.replayed[2]?.text).toContain('This is a replay of an earlier conversation')
  expect(branch?.replayed[3]?.text).toContain('Thanks, credit')
  expect(report).toMatchObject({ modelCalls: 4, refused: 1 })
  expect(requests).toBe(before)
})

test('a model that does not end is stopped after some steps', async () => {
  const before = prompts
  const { out } = await replay(
    dir,
    sessions[3] ?? '',
    ...['--with', 'skill=drafts/refunds.md', '--steps', '4', '--json'],
  )
  expect(JSON.parse(out)).toMatchObject({
    modelCalls: 4,
    stopped: 'stopped after 4 steps beyond the record',
  })
  expect(prompts - before).toBe(4)
})

test('where no request differs, nothing is asked', async () => {
  await write(dir, { 'drafts/same.md': SKILL })
  const before = { requests, prompts }
  const { code, err, out } = await replay(dir, ...sessions, '--with', 'skill=drafts/same.md')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(
    linesOf(out).filter((line) =>
      line.includes('no difference: the model would have been asked the same'),
    ),
  ).toHaveLength(sessions.length)
  expect(out).not.toContain('Note:')
  expect({ requests, prompts }).toEqual(before)
}, 600_000)

test('instructions, knowledge, settings and the model are named with their places', async () => {
  const session = sessions[0] ?? ''
  const of = async (change: string): Promise<string> =>
    (await replay(dir, session, '--with', change)).out
  expect(await of('prompt=drafts/prompt.md')).toMatch(
    /prompt, section instructions of plugin prompt, byte \d+; agents\/main\/AGENT\.md:2\n {4}word: {3}"friendly" → "brief"/,
  )
  expect(await of('knowledge=drafts/rules.md')).toMatch(
    /prompt, section knowledge of plugin knowledge, byte \d+; knowledge\/rules\.md:3\n {4}word: {3}"year" → "month"/,
  )
  expect(await of('model=scripted-2')).toMatch(
    /model, the main model, byte \d+; amodal\.json:\d+\n/,
  )
  await write(dir, { 'drafts/settings.json': '{ "limits": { "temperature": 0.5 } }' })
  expect(await of('settings=drafts/settings.json')).toMatch(/settings, settings of the model/)
})

test('many sessions are found by a query', async () => {
  const { code, out } = await replay(
    dir,
    ...['--sessions', 'delegate since=1d', '--limit', '2', '--with', 'prompt=drafts/prompt.md'],
  )
  expect(code).toBe(1)
  expect(out).toMatch(/\n2 sessions: 0 the same, 2 differ\nThe model was asked \d+ times, /)
  const same = await replay(dir, '--sessions', 'all', '--limit', '3')
  expect(same.out).toContain('3 sessions: 3 the same, 0 differ')
  expect(await replay(dir, '--sessions', 'since=later')).toMatchObject({
    code: 2,
    err: expect.stringContaining('write since=7d') as string,
  })
  expect(await replay(dir, '--sessions', 'nothing-like-it')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no session is found') as string,
  })
})

test('what cannot be replayed is named, and the others are replayed', async () => {
  const { code, err, out } = await replay(
    dir,
    ...['sess_unknown', sessions[0] ?? '', '--with', 'skill=drafts/refunds.md'],
  )
  expect(code).toBe(1)
  expect(err).toContain('there is no session "sess_unknown"')
  expect(out).toContain('2 sessions: 0 the same, 1 differ, 1 failed')
  expect(await replay(dir, sessions[0] ?? '', '--with', 'skill=gone.md')).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no such file') as string,
  })
  await write(dir, { 'drafts/bad.json': '{ "models": { "main": { "provider": 3 } } }' })
  const broken = await replay(dir, sessions[0] ?? '', '--with', 'settings=drafts/bad.json')
  expect(broken).toMatchObject({ code: 1, err: expect.stringContaining('amodal.json') as string })
})

test('a skill that is read by a tool is noticed where its text is given', async () => {
  const other = await mkdtemp(join(tmpdir(), 'amodal-replay-skill-'))
  const provider = { provider: 'openai-compatible', baseUrl: model.url, apiKey: 'none' }
  await write(other, {
    'amodal.json': JSON.stringify({
      name: 'reading',
      models: { main: { ...provider, model: 'scripted', contextWindow: 64_000 } },
      plugins: [{ use: 'skills', config: { inlineTokens: 0 } }],
    }),
    'skills/refunds/SKILL.md': SKILL,
    'drafts/refunds.md': SKILL.replace('refund the customer', 'credit the customer'),
  })
  const [session = ''] = await record(other, [['Hello', 'Activate it', 'Bye']])
  const before = prompts
  const { code, out } = await replay(other, session, '--with', 'skill=drafts/refunds.md')
  expect(out).toMatch(
    /differs at step 3 \(entry \d+\): message, result of activate_skill \(.+\) of plugin skills, byte \d+; skills\/refunds\/SKILL\.md:9\n {4}word: {3}"refund" → "credit"/,
  )
  expect(code).toBe(1)
  expect(prompts - before).toBe(2)
  await rm(other, { recursive: true, force: true, maxRetries: 5 })
})
