import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, write, type Door } from '../security/support/door.ts'

const run = promisify(execFile)
const TOOLS = '/v1/local/tool'

interface Call {
  readonly name: string
  readonly arguments: JsonObject
}

/** A clone of the repository of the organization, and the ids of its tools. */
interface Shop {
  readonly door: Door
  /** Pushes the code of a tool, and publishes it. @returns the number of the version */
  publish(name: string, body: string, more?: JsonObject): Promise<string>
  deprecate(name: string, versions: string): Promise<void>
  history(query?: string): Promise<readonly JsonObject[]>
  /** A message, to which the model answers with these calls, then with `done`. */
  turn(
    calls: readonly Call[],
    session?: string,
  ): Promise<{ readonly session: string; readonly events: readonly JsonObject[] }>
}

async function shop(manifest: JsonObject): Promise<Shop> {
  const door = await openDoor({ manifest, script: () => reply.text('done') })
  const dir = await mkdtemp(join(tmpdir(), 'amodal-shop-'))
  onTestFinished(async () => {
    await door[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Anna',
    GIT_AUTHOR_EMAIL: 'anna@example.com',
    GIT_COMMITTER_NAME: 'Anna',
    GIT_COMMITTER_EMAIL: 'anna@example.com',
  }
  const clone = join(dir, 'clone')
  await run('git', ['clone', '--quiet', gitUrl(door), clone], { env })
  const ids = new Map<string, string>()
  const local = (): Record<string, string> => ({ authorization: `Bearer ${door.token}` })
  return {
    door,
    async publish(name, body, more = {}) {
      const code = `async def run_tool(tool_input, metadata, config, conversation, send_status_event, user_variables):\n    ${body}\n`
      const json = { name, description: `Does ${name}.`, language: 'python', input: INPUT }
      await write(clone, { [`${name}/tool.json`]: { ...json, ...more }, [`${name}/tool.py`]: code })
      for (const args of [
        ['add', '--all'],
        ['commit', '--quiet', '--message', `Change ${name}`],
        ['push', '--quiet', gitUrl(door), 'HEAD:main'],
      ])
        await run('git', args, { cwd: clone, env })
      if (!ids.has(name)) {
        const created = await door.post(TOOLS, { name })
        ids.set(name, textIn(created.body, 'tool_id'))
      }
      const id = ids.get(name) ?? ''
      for (const { name: variable } of (more['env'] ?? []) as readonly { name: string }[])
        await door.post(`${TOOLS}/${id}/envvar`, { name: variable, value: SECRET, secret: true })
      const published = await door.post(`${TOOLS}/${id}/version`, { repo: 'team', branch: 'main' })
      expect(published.status, published.text).toBe(201)
      return textIn(published.body, 'version')
    },
    async deprecate(name, versions) {
      const path = `${TOOLS}/${ids.get(name)}/version/${encodeURIComponent(versions)}`
      const { status } = await fetch(`${door.url}${path}`, { method: 'DELETE', headers: local() })
      expect(status).toBe(204)
    },
    async history(query = '') {
      const { body } = await door.get(`${TOOLS}/invocation?${query}`, local())
      return body['invocations'] as readonly JsonObject[]
    },
    async turn(calls, session) {
      play(door, calls)
      const events = await door.stream('go', session === undefined ? {} : { session_id: session })
      return {
        session: events.map((event) => textIn(event, 'session_id')).find(Boolean) ?? '',
        events,
      }
    },
  }
}

/** The model answers with these calls, one after the other, then with `done`. */
function play(door: Door, calls: readonly Call[]): void {
  let next = 0
  door.model.play(() => {
    const call = calls[next]
    next += 1
    return call ? reply.toolCalls([{ id: `call_${next}`, ...call }]) : reply.text('done')
  })
}

const SECRET = 'a-secret-of-the-shop'
const INPUT = {
  type: 'object',
  properties: { order: { type: 'integer' } },
  required: ['order'],
}
const VERSION = `return metadata['version']`
const CHECK = { name: 'check_order', arguments: { order: 7 } }

const gitUrl = (door: Door): string =>
  `${door.url.replace('http://', `http://token:${door.token}@`)}${TOOLS}/git/tools.git`

const resultsIn = (events: readonly JsonObject[]): readonly string[] =>
  events
    .filter(({ type }) => type === 'tool_call_result')
    .map((event) => textIn(event, 'result') || textIn(event, 'error'))

test('a message takes the newest version that fits, and its calls are in the history', async () => {
  const { publish, turn, history, door } = await shop({
    orgTools: [
      { tool: 'check_order', version: '<2', readOnly: true, instruction: 'For each order.' },
    ],
  })
  const env = [{ name: 'SHOP_TOKEN', secret: true }]
  await publish(
    'check_order',
    `await send_status_event({'message': 'asking with ' + config['SHOP_TOKEN']})
    return {'version': metadata['version'], 'mode': metadata['invocation_mode'], 'order': tool_input['order'],
            'conversation': conversation['conversation_id'], 'token': config['SHOP_TOKEN']}`,
    { env },
  )
  const first = await turn([CHECK])
  expect(JSON.parse(resultsIn(first.events)[0] ?? '')).toEqual({
    version: '1.0.0',
    mode: 'regular',
    order: 7,
    conversation: first.session,
    token: '[REDACTED]',
  })
  expect(first.events).toContainEqual(
    expect.objectContaining({
      type: 'tool_log',
      tool_name: 'check_order',
      message: 'asking with [REDACTED]',
    }),
  )
  const sent = JSON.stringify(door.model.requests.at(0))
  expect(sent).toContain('Does check_order.')
  expect(sent).toContain('For each order.')

  await publish('check_order', VERSION, { env })
  const second = await turn([CHECK], first.session)
  expect(resultsIn(second.events)).toEqual(['1.0.1'])
  // a removed input is a major change, and 2.0.0 does not fit
  await publish('check_order', VERSION, { env, input: { type: 'object' } })
  expect(resultsIn((await turn([CHECK], first.session)).events)).toEqual(['1.0.1'])

  const runs = await history('invocation_source_type=conversation')
  expect(runs.map(({ version }) => version)).toEqual(['1.0.1', '1.0.1', '1.0.0'])
  expect(new Set(runs.map((one) => one['conversation_id']))).toEqual(new Set([first.session]))
  expect(new Set(runs.map((one) => one['interaction_id'])).size).toBe(3)
  expect(await door.dump()).not.toContain(SECRET)
  expect(door.log.join('\n')).not.toContain(SECRET)

  const removed = await fetch(`${door.url}/sessions/${first.session}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${door.token}` },
  })
  expect(removed.ok).toBe(true)
  await expect
    .poll(async () => (await history()).filter((one) => one['conversation_id'] !== null))
    .toEqual([])
  expect(await history('invocation_source_type=conversation')).toHaveLength(3)
})

test('a run keeps its version over a question, a restart and a deprecation', async () => {
  const { publish, deprecate, history, door } = await shop({
    orgTools: [{ tool: 'check_order', confirm: true }],
  })
  await publish('check_order', VERSION)
  play(door, [CHECK, CHECK])
  const parked = await door.say('go')
  expect(parked.status, parked.text).toBe(202)
  const session = textIn(parked.body, 'session_id')
  await publish('check_order', VERSION + ' + "!"')
  await deprecate('check_order', '==1.0.0')
  await door.restart()
  await approve(door, session)
  await approve(door, session)
  const versions = async () =>
    (await history('invocation_source_type=conversation')).map(({ version }) => version)
  await expect.poll(versions).toEqual(['1.0.0', '1.0.0'])
  await expect.poll(() => stateOf(door, session)).toBe('idle')
  play(door, [CHECK])
  await door.say('go', { session_id: session })
  await approve(door, session)
  await expect.poll(versions).toEqual(['1.0.1', '1.0.0', '1.0.0'])
})

test('tools are there in the states that they are for', async () => {
  const { publish, turn, door } = await shop({
    state: {
      type: 'object',
      properties: { phase: { type: 'string', default: 'asking', write: ['model'] } },
    },
    orgTools: [
      { tool: 'check_order', readOnly: true, when: { phase: ['asking', 'closing'] } },
      { tool: 'refund', readOnly: true, when: { phase: 'refunding' } },
    ],
  })
  await publish('check_order', 'return "checked"')
  await publish('refund', 'return "refunded"')
  const offered = () => (door.model.requests.at(-1)?.body as JsonObject | undefined) ?? {}
  const first = await turn([
    { name: 'update_state', arguments: { phase: 'refunding' } },
    { name: 'refund', arguments: { order: 7 } },
    CHECK,
  ])
  // what was listed when the run began holds until it ends
  expect(resultsIn(first.events).at(-1)).toBe('checked')
  expect(JSON.stringify(first.events)).not.toContain('refunded')
  expect(JSON.stringify(offered())).not.toContain('Does refund.')
  const second = await turn([{ name: 'refund', arguments: { order: 7 } }], first.session)
  expect(resultsIn(second.events)).toEqual(['refunded'])
  expect(JSON.stringify(offered())).not.toContain('Does check_order.')
})

test('results stay in the conversation as the agent says, and are limited', async () => {
  const { publish, turn, door } = await shop({
    orgTools: [
      { tool: 'short', readOnly: true, resultPersistence: 'persisted' },
      { tool: 'large', readOnly: true },
      { tool: 'once', readOnly: true, resultPersistence: 'ephemeral' },
    ],
  })
  const code = `return metadata['tool_name'] + ':' + 'x' * tool_input['order']`
  for (const name of ['short', 'large', 'once']) await publish(name, code)
  const call = (name: string, order: number) => ({ name, arguments: { order } })
  const { events, session } = await turn([
    call('short', 100),
    call('short', 6_000),
    call('large', 100),
    call('large', 6_000),
    call('large', 20_001),
    call('once', 100),
  ])
  const results = events.filter(({ type }) => type === 'tool_call_result')
  expect(results.map((event) => textIn(event, 'error').slice(0, 40))).toEqual([
    '',
    expect.stringContaining('"short" ran'),
    '',
    '',
    expect.stringContaining('20007 characters'),
    '',
  ])
  const during = JSON.stringify(door.model.requests.at(-1))
  expect(during).toContain(`large:${'x'.repeat(6_000)}`)
  await turn([], session)
  const after = JSON.stringify(door.model.requests.at(-1))
  expect(after).toContain(`short:${'x'.repeat(100)}`)
  expect(after).toContain(`large:${'x'.repeat(100)}`)
  expect(after).not.toContain('x'.repeat(6_000))
  expect(after).not.toContain('once:x')
})

test('a tool that has no fitting version is left out, and the turn goes on', async () => {
  const { turn } = await shop({ orgTools: [{ tool: 'check_order' }] })
  const { events } = await turn([])
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      message: expect.stringContaining('no published version of "check_order" fits "*"') as string,
    }),
  )
  expect(events.at(-1)).toMatchObject({ type: 'done' })
})

const viewOf = async (door: Door, session: string): Promise<JsonObject> =>
  (await door.get(`/sessions/${session}`, { authorization: `Bearer ${door.token}` })).body
const stateOf = async (door: Door, session: string) => (await viewOf(door, session))['state']

/** Approves the question of a session, once it is open. */
async function approve(door: Door, session: string): Promise<void> {
  const open = async (): Promise<string> => {
    const pending = (await viewOf(door, session))['pending_input'] as readonly JsonObject[]
    return textIn(pending[0], 'id')
  }
  await expect.poll(open).not.toBe('')
  const id = await open()
  const { status, text } = await door.answer({ session_id: session, id, approved: true })
  expect(status, text).toBe(200)
  await expect.poll(open).not.toBe(id)
}
