/** `amodal deploy upgrade --dry-run`: recorded sessions against a snapshot. */

import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { explainStart, startFolder } from '@amodal/presets'
import { Agent, LOCAL_TENANT, principalId, type SessionId } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { write } from '../security/support/door.ts'
import { agentFolder, type AgentFolder } from '../support/agent-folder.ts'
import { runCommand, type Ran } from '../support/command.ts'

let folder: AgentFolder
let service: Server
let model: ModelServer
/** Requests to the model and to the service. */
let requests = 0
/** In the order in which they were used. */
const sessions: SessionId[] = []

const ACCESS = 'connections/desk/access.json'
const COUNT = {
  'tools/count/tool.json': {
    name: 'count',
    description: 'Counts.',
    parameters: { type: 'object', properties: {} },
    readOnly: true,
  },
  'tools/count/handler.ts': 'export default async () => ({ count: 1 })\n',
}

const rule = (more: object): object => ({
  endpoints: { 'POST /refunds': { returns: ['total'], ...more } },
})

/** The first message counts, another one writes a refund. */
function answer(order: string, results: number): ReturnType<typeof reply.text> {
  if (results > 0) return reply.text('Done.')
  if (order.includes('Count')) return reply.toolCalls({ name: 'count', arguments: {} })
  if (!order.includes('Refund')) return reply.text('Hello.')
  const args = { connection: 'desk', method: 'POST', endpoint: '/refunds', intent: 'write' }
  return reply.toolCalls({ name: 'request', arguments: { ...args, data: { total: 1 } } })
}

async function record(messages: readonly string[]): Promise<void> {
  const started = await startFolder({ dir: folder.dir, env: {}, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { close, kernel } = started.value
  const client = kernel.scope
    .get(Agent)
    .as({ tenant: LOCAL_TENANT, principal: principalId('local') })
  let session: SessionId | undefined
  for (const text of messages) {
    const turn = await client.ask({ text, ...(session && { session }) })
    if (!turn.ok) throw new Error(turn.error.message)
    expect(turn.value.pending).toEqual([])
    session = turn.value.session
  }
  if (session) sessions.push(session)
  await close('recorded')
}

beforeAll(async () => {
  service = createServer((_request, response) => {
    requests++
    response.setHeader('content-type', 'application/json')
    response.end('{ "total": 1 }')
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const address = service.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  model = await startModelServer({
    script: ({ messages }) => {
      requests++
      const at = messages.findLastIndex(({ role }) => role === 'user')
      const results = messages.slice(at + 1).filter(({ role }) => role === 'tool').length
      return answer(JSON.stringify(messages[at]), results)
    },
  })
  folder = await agentFolder({ 'AGENTS.md': 'Do as you are asked.\n' })
  await write(folder.dir, {
    ...COUNT,
    'amodal.json': {
      name: 'upgraded',
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    },
    'connections/desk/spec.json': { baseUrl: `http://127.0.0.1:${port}` },
    [ACCESS]: rule({}),
  })
  await record(['Hello', 'Count them'])
  await record(['Refund it'])
}, 240_000)

afterAll(async () => {
  service.close()
  await model.close()
  await folder.remove()
})

/** A snapshot of the folder after a change of its files. */
async function snapshot(change: (dir: string) => Promise<void>): Promise<string> {
  const draft = await mkdtemp(join(tmpdir(), 'amodal-upgrade-'))
  onTestFinished(() => rm(draft, { recursive: true, force: true }))
  const [dir, file] = [join(draft, 'agent'), join(draft, 'agent.tgz')]
  await cp(folder.dir, dir, { recursive: true, filter: (path) => !path.endsWith('/.amodal') })
  await change(dir)
  const built = await runCommand(['deploy', 'build', '--output', file, '--dir', dir])
  expect(built.err).toBe('')
  return file
}

const unchanged = async (): Promise<void> => {
  /* the files of the folder */
}

interface Printed {
  readonly session: string
  readonly act?: {
    readonly message: number
    readonly step: number
    readonly journaled: object
    readonly replayed: object
  }
}

const upgrade = (file: string, ...more: readonly string[]): Promise<Ran> =>
  runCommand(['deploy', 'upgrade', file, '--dry-run', '--dir', folder.dir, ...more])

test('a snapshot of the same files does the same, and neither model nor tool is called', async () => {
  const before = requests
  const { code, err, out } = await upgrade(await snapshot(unchanged))
  expect({ code, err, out }).toEqual({
    code: 0,
    err: '',
    out: '2 sessions: 2 the same, 0 with another prompt, 0 diverged, 0 failed\n',
  })
  expect(requests).toBe(before)
}, 240_000)

test('a tool that is not in the snapshot is named with session, message and step', async () => {
  const file = await snapshot((dir) => rm(join(dir, 'tools'), { recursive: true }))
  const { code, err, out } = await upgrade(file)
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(out).toContain(
    [
      `${sessions[0]}: diverges at message 2, step 1`,
      '    journaled: calls count {} (success)',
      '    snapshot:  has no tool count\n',
    ].join('\n'),
  )
  expect(out).toContain(`${sessions[1]}: does the same\n    sent to the model: `)
  expect(out).toContain('2 sessions: 0 the same, 1 with another prompt, 1 diverged, 0 failed\n')
}, 240_000)

test('a call that an access rule denies is named, as lines of JSON too', async () => {
  const before = requests
  const file = await snapshot((dir) => write(dir, { [ACCESS]: rule({ confirm: 'never' }) }))
  const { code, out } = await upgrade(file, '--sessions', '1', '--json')
  expect(code).toBe(1)
  const [line = '', counts = ''] = out.split('\n')
  const called = { connection: 'desk', method: 'POST', endpoint: '/refunds' }
  const { act, session } = JSON.parse(line) as Printed // what the command prints
  expect({ session, message: act?.message, step: act?.step }).toEqual({
    session: sessions[1],
    message: 1,
    step: 1,
  })
  expect(act?.journaled).toMatchObject({ does: 'call', tool: 'request', args: called })
  expect(act?.replayed).toMatchObject({ does: 'refuse', tool: 'request', args: called })
  expect(JSON.parse(counts)).toMatchObject({ sessions: 1, diverged: 1 })
  expect(requests).toBe(before)
}, 240_000)

test('a call that a person is to approve in the snapshot alone is named', async () => {
  const file = await snapshot((dir) => write(dir, { [ACCESS]: rule({ confirm: true }) }))
  const { code, out } = await upgrade(file, '--sessions', '1')
  expect(out).toMatch(
    /: diverges at message 1, step 1\n {4}journaled: calls request .*\n {4}snapshot: {2}asks a person \(approval\) about request\n/,
  )
  expect(code).toBe(1)
}, 240_000)

test('a prompt that differs is named with its hashes, and does not count', async () => {
  const file = await snapshot((dir) => write(dir, { 'AGENTS.md': 'Do what you want.\n' }))
  const { code, out } = await upgrade(file, '--sessions', '1')
  expect(out).toMatch(
    /: does the same\n {4}sent to the model: prompt, section [\w-]+, [0-9a-f]{12} → [0-9a-f]{12} \(message 1, step 1\)\n/,
  )
  expect(code).toBe(0)
}, 240_000)

test('a file that was changed is refused, and the command line is read', async () => {
  const file = await snapshot(unchanged)
  const plain = gunzipSync(await readFile(file))
  plain.write('Do as you are tasked', plain.indexOf('Do as you are asked'))
  await writeFile(file, gzipSync(plain))
  const tampered = await upgrade(file)
  expect(tampered).toMatchObject({ code: 1, out: '' })
  expect(tampered.err).toContain('SNAPSHOT_TAMPERED: AGENTS.md has other contents')
  const real = await runCommand(['deploy', 'upgrade', file, '--dir', folder.dir])
  expect(real.code).toBe(2)
  expect(real.err).toMatch(/deploy push.*deploy promote/)
  expect((await upgrade(file, '--sessions', 'many')).code).toBe(2)
}, 240_000)
