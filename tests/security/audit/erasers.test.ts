/**
 * What each eraser takes, through the command and with a look at every row: documents that a tenant
 * has approved, keys that are kept, sessions that were forked.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Database, isList, isObject, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type Door, openDoor, textIn } from '../support/door.ts'
import { as, keyFor, keysOf } from '../support/people.ts'
import { runCommand, type Ran } from '../../support/command.ts'

const principalOf = (name: string): string => `key:${keyFor(name).split('_')[1] ?? ''}`

type Said = Pick<Ran, 'code' | 'said'>

async function amodal(dir: string, ...argv: readonly string[]): Promise<Said> {
  const { code, said } = await runCommand([...argv, '--dir', dir])
  return { code, said }
}

const KEEPS_KEYS = { plugins: [['auth', { database: true }]] }

/** A message `propose NAME: TEXT` makes the model propose that document. */
async function open(more: Partial<Parameters<typeof openDoor>[0]> = {}): Promise<Door> {
  const door = await openDoor({
    env: keysOf({
      anna: { tenant: 'acme' },
      amos: { tenant: 'acme' },
      gina: { tenant: 'globex' },
    }),
    manifest: { plugins: [['knowledge', { proposals: 'tenant' }]] },
    script: ({ messages }) => {
      const last = messages.at(-1)
      if (last?.role !== 'user') return reply.text('Done.')
      const text = JSON.stringify(last.content)
      const [, name = '', body = ''] = /propose (\S+?): ([\w-]+)/.exec(text) ?? []
      return name === ''
        ? reply.text('So it is.')
        : reply.toolCalls({
            name: 'propose_knowledge',
            arguments: { name, title: name, body, reasoning: 'Seen.' },
          })
    },
    ...more,
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

/** Stops the server, erases, starts it again. @returns every row that is left */
async function erased(door: Door, principal: string, ...more: readonly string[]): Promise<Said> {
  await door.running.close('test')
  const dry = await amodal(door.dir, 'ops', 'erase', '--principal', principal, ...more, '--dry-run')
  const done = await amodal(door.dir, 'ops', 'erase', '--principal', principal, ...more)
  expect(done).toEqual({ code: 0, said: dry.said.replace('Would erase', 'Erased') })
  await door.restart()
  return done
}

/** Has a document proposed in a session of its own, and approved. @returns the session */
async function approve(
  door: Door,
  who: string,
  name: string,
  body: string,
  session?: string,
): Promise<string> {
  const asked = (
    await door.say(
      `propose ${name}: ${body}`,
      session === undefined ? {} : { session_id: session },
      as(who),
    )
  ).body
  const [ask] = isList(asked['pending_input']) ? asked['pending_input'] : []
  const id = textIn(asked, 'session_id')
  const answered = await door.answer(
    { session_id: id, id: textIn(isObject(ask) ? ask : {}, 'id'), approved: true },
    as(who),
  )
  expect(answered.status).toBe(200)
  await expect
    .poll(async () => (await door.get(`/sessions/${id}`, as(who))).body['state'])
    .toBe('idle')
  return id
}

test('knowledge: documents that were approved in sessions of the person go, and no others', async () => {
  const door = await open()
  await approve(door, 'anna', 'first', 'planted-by-anna')
  await approve(door, 'amos', 'second', 'planted-by-amos')
  await approve(door, 'gina', 'first', 'planted-by-gina')
  // What somebody else has written anew since is theirs.
  await approve(door, 'anna', 'third', 'planted-early')
  await approve(door, 'amos', 'third', 'planted-late')
  const deleted = await approve(door, 'anna', 'fourth', 'planted-in-a-session-that-is-deleted')
  const gone = await fetch(`${door.url}/sessions/${deleted}`, {
    method: 'DELETE',
    headers: as('anna'),
  })
  expect(gone.status).toBe(200)
  for (const text of ['anna', 'amos', 'gina', 'late', 'in-a-session-that-is-deleted'])
    expect(await door.dump()).toContain(`planted-${/^(late|in)/.test(text) ? '' : 'by-'}${text}`)

  const { said } = await erased(door, principalOf('anna'))
  expect(said).toMatch(/ {2}knowledge: 2$/m)
  const left = await door.dump()
  for (const text of ['planted-by-amos', 'planted-by-gina', 'planted-late'])
    expect(left).toContain(text)
  expect(left).not.toMatch(/planted-(by-anna|in-a-session)/)
  // Nor is it in the prompt of anybody.
  await door.say('What is known?', {}, as('amos'))
  expect(JSON.stringify(door.model.requests.at(-1))).toContain('planted-by-amos')
  expect(JSON.stringify(door.model.requests.at(-1))).not.toContain('planted-by-anna')
})

test('knowledge: documents go too where the agent takes no proposals any more', async () => {
  const door = await open()
  await approve(door, 'anna', 'first', 'planted-by-anna')
  const manifest = join(door.dir, 'amodal.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace('"proposals": "tenant"', '"proposals": "off"'))
  expect(await readFile(manifest, 'utf8')).not.toBe(text)
  await erased(door, principalOf('anna'))
  expect(await door.dump()).not.toContain('planted-by-anna')
})

test('stores: what was written in a session that was deleted goes', async () => {
  const door = await open({
    files: {
      'stores/notes.json': {
        name: 'notes',
        entity: {
          name: 'Note',
          key: '{id}',
          schema: { id: { type: 'string' }, text: { type: 'string' } },
        },
      },
    },
    manifest: {},
    script: ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? reply.toolCalls({
            name: 'store_notes',
            arguments: { id: 'n1', text: 'planted-in-a-store' },
          })
        : reply.text('Done.'),
  })
  const { body } = await door.say('Note it.', {}, as('anna'))
  const session = textIn(body, 'session_id')
  expect(
    (await fetch(`${door.url}/sessions/${session}`, { method: 'DELETE', headers: as('anna') }))
      .status,
  ).toBe(200)
  expect(await door.dump()).toContain('planted-in-a-store')
  expect((await erased(door, principalOf('anna'))).said).toMatch(/ {2}stores: 1$/m)
  expect(await door.dump()).not.toContain('planted-in-a-store')
})

test('sessions: one that the audit log knows as of the person, and is of somebody else now, stays', async () => {
  const door = await open({ manifest: {} })
  const { body } = await door.say('planted-by-anna', {}, as('anna'))
  const session = textIn(body, 'session_id')
  const moved = await door.running.kernel.scope.get(Database).run(
    {
      sql: 'update sessions_lane set principal = $1 where session = $2',
      parameters: [principalOf('amos'), session],
    },
    AbortSignal.timeout(30_000),
  )
  expect(moved.ok).toBe(true)
  expect((await erased(door, principalOf('anna'))).said).toMatch(
    / {2}sessions: 0, and 1 left that name the person/,
  )
  expect((await door.get(`/sessions/${session}`, as('amos'))).text).toContain('planted-by-anna')
})

test('keys: the key of the person is revoked and has no name any more; others stay', async () => {
  const door = await open({ env: {}, manifest: KEEPS_KEYS })
  const dir = door.dir
  await door.running.close('test')
  const create = async (name: string, tenant?: string): Promise<string> => {
    const command = await amodal(
      dir,
      ...['ops', 'keys', 'create', '--name', name, '--json'],
      ...(tenant === undefined ? [] : ['--tenant', tenant]),
    )
    expect(command.code, command.said).toBe(0)
    return textIn(JSON.parse(command.said) as JsonObject, 'key') // what the command prints
  }
  const idOf = (key: string): string => key.split('_')[1] ?? ''
  const anna = await create('planted anna', 'acme')
  const amos = await create('planted amos', 'acme')
  const [named, elsewhere] = [await create('jwt:anna', 'acme'), await create('jwt:anna', 'globex')]
  await door.restart()
  const statusOf = async (key: string): Promise<number> =>
    (await door.say('Hello', {}, { 'x-api-key': key })).status
  for (const key of [anna, amos, named, elsewhere]) expect(await statusOf(key)).toBe(200)

  // By the principal of the key, which is its id.
  expect((await erased(door, `key:${idOf(anna)}`)).said).toMatch(/ {2}keys: 1$/m)
  expect([await statusOf(anna), await statusOf(amos)]).toEqual([401, 200])
  const rows = await door.dump()
  expect(rows).not.toContain('planted anna')
  expect(rows).toContain('planted amos')

  // By the name that it was given, in one tenant.
  expect((await erased(door, 'jwt:anna', '--tenant', 'acme')).said).toMatch(/ {2}keys: 1$/m)
  expect([await statusOf(named), await statusOf(elsewhere)]).toEqual([401, 200])
  await door.running.close('test')
  const listed = (await amodal(dir, 'ops', 'keys', 'list', '--json')).said
  const keys = JSON.parse(listed) as readonly JsonObject[] // what the command prints
  expect(keys.map(({ id, name, revokedAt }) => [id, name, typeof revokedAt === 'string'])).toEqual([
    [idOf(anna), 'erased', true],
    [idOf(amos), 'planted amos', false],
    [idOf(named), 'erased', true],
    [idOf(elsewhere), 'jwt:anna', false],
  ])
  await door.restart()
  // Nothing is left to do.
  expect((await erased(door, `key:${idOf(anna)}`)).said).toMatch(/ {2}keys: 0$/m)
})

test('keys: they go too where none are looked for in the database any more', async () => {
  const door = await open({ env: {}, manifest: KEEPS_KEYS })
  await door.running.close('test')
  const create = ['ops', 'keys', 'create', '--name', 'jwt:anna'] as const
  expect((await amodal(door.dir, ...create)).code).toBe(0)
  const manifest = join(door.dir, 'amodal.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace('"database": true', '"database": false'))
  await door.restart()
  expect((await erased(door, 'jwt:anna')).said).toMatch(/ {2}keys: 1$/m)
  expect(await door.dump()).not.toContain('jwt:anna')
})

test('sessions: forks of sessions of the person go, whoever made them; what they forked stays', async () => {
  const door = await open({ manifest: {} })
  const say = async (who: string, message: string, session?: string): Promise<string> => {
    const { body, status } = await door.say(
      message,
      session === undefined ? {} : { session_id: session },
      as(who),
    )
    expect(status).toBe(200)
    return textIn(body, 'session_id')
  }
  const fork = async (who: string, session: string, at?: number): Promise<string> => {
    const response = await door.post(
      `/sessions/${session}/fork`,
      at === undefined ? {} : { at },
      as(who),
    )
    expect(response.status, response.text).toBe(201)
    return textIn(response.body, 'id')
  }
  const annas = await say('anna', 'planted-anna-root')
  const amos = await say('amos', 'planted-amos-root')
  const own = await fork('anna', annas)
  await say('anna', 'planted-anna-fork', own)
  const byAmos = await fork('amos', annas)
  await say('amos', 'planted-amos-in-a-fork-of-anna', byAmos)
  const deeper = await fork('amos', byAmos)
  await say('amos', 'planted-amos-deeper', deeper)
  const ofAmos = await fork('anna', amos)
  await say('anna', 'planted-anna-in-a-fork-of-amos', ofAmos)
  const again = await fork('amos', ofAmos)
  await say('amos', 'planted-amos-behind-anna', again)
  // A message in a session of somebody else.
  await say('anna', 'planted-anna-as-a-guest', amos)

  const { said } = await erased(door, principalOf('anna'))
  expect(said).toMatch(/Erased \(6 sessions\)/)
  expect(said).toMatch(/ {2}sessions: 6, and 1 left that name the person/)
  const statuses = await Promise.all(
    [annas, own, byAmos, deeper, ofAmos, again, amos].map(
      async (session) => (await door.get(`/sessions/${session}`, as('amos'))).status,
    ),
  )
  expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 200])
  const left = await door.dump()
  expect(left).not.toMatch(/planted-(anna-root|anna-fork|anna-in|amos-in|amos-deeper|amos-behind)/)
  expect(left).toContain('planted-amos-root')
  expect(left).toContain('planted-anna-as-a-guest')
  expect(await amodal(door.dir, 'ops', 'audit', 'verify')).toMatchObject({ code: 1 }) // in use
  await door.running.close('test')
  expect(await amodal(door.dir, 'ops', 'audit', 'verify')).toMatchObject({ code: 0 })
  await door.restart()
  expect((await amodal(door.dir, 'ops', 'erase', '--principal', 'nobody')).code).toBe(1) // in use
})

test('an erasure opens no port: another server may have it', async () => {
  const door = await open({ manifest: {} })
  await door.running.close('test')
  const other = createServer()
  onTestFinished(() => void other.close())
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve)
  })
  const address = other.address()
  const port = String(typeof address === 'object' ? address?.port : address)
  const argv = ['ops', 'erase', '--principal', 'jwt:anna', '--dir', door.dir]
  expect(await runCommand(argv, { env: { PORT: port } })).toMatchObject({ code: 0 })
})

test('what a person says of an answer goes, although its plugin is not started for that', async () => {
  const door = await open()
  const { body } = await door.post('/chat/sync', { message: 'Hello' }, as('anna'))
  const opinion = { session_id: textIn(body, 'session_id'), rating: 'down', comment: 'MARK-7' }
  expect(await door.post('/api/feedback', opinion, as('anna'))).toMatchObject({ status: 200 })
  const { said } = await erased(door, principalOf('anna'))
  expect(said).toContain('feedback: 1')
  expect(await door.dump()).not.toContain('MARK-7')
}, 60_000)
