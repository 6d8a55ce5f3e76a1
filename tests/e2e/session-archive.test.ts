/**
 * Sessions are archived before they expire: through the server of a preset, on both databases.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { explainStart, startFolder } from '@amodal/presets'
import type { JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Door, openDoor, textIn } from '../security/support/door.ts'
import { as, keyFor, keysOf } from '../security/support/people.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { Amodal } from './server.ts'
import { runCommand } from '../support/command.ts'

const DYING = join(import.meta.dirname, 'dying-plugin.ts')
const SOON = { idleAfter: '200ms', expireAfter: '200ms' }
const NEVER = { idleAfter: 'never' }
const PEOPLE = keysOf({
  anna: { tenant: 'acme' },
  amos: { tenant: 'acme' },
  kate: { tenant: 'kept' },
})
const principalOf = (name: string): string => `key:${keyFor(name).split('_')[1] ?? ''}`

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

interface Kind {
  readonly name: string
  readonly url: () => Promise<string | undefined>
}
const KINDS: readonly Kind[] = [
  { name: 'PGlite', url: async () => undefined },
  { name: 'Postgres', url: () => postgres.createDatabase() },
]

const manifestOf = (
  url: string | undefined,
  retention: JsonObject,
  plugins: readonly (string | JsonObject)[] = ['session-archive'],
): JsonObject => ({
  runtime: { retention },
  plugins: [...plugins],
  ...(url !== undefined && { stores: { backend: 'postgres', postgresUrl: url } }),
})

const open = (url: string | undefined, retention: JsonObject): Promise<Door> =>
  openDoor({
    env: PEOPLE,
    manifest: manifestOf(url, retention),
    script: reply.text('That is done.'),
  })

const archiveOf = ({ dir }: Pick<Door, 'dir'>): string => join(dir, '.amodal', 'archive')

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => [])
  return found.filter((name) => name.endsWith('.jsonl.gz')).sort()
}

const amodal = (dir: string, ...argv: readonly string[]) => runCommand([...argv, '--dir', dir])

async function say(door: Door, who: string, text: string): Promise<string> {
  const said = await door.say(text, {}, as(who))
  expect(said.status, said.text).toBe(200)
  return textIn(said.body, 'session_id')
}

const statusOf = async (door: Door, who: string, session: string): Promise<string> =>
  textIn((await door.get(`/sessions/${session}`, as(who))).body, 'status')

const auditOf = async (dir: string): Promise<string> =>
  (await amodal(dir, 'ops', 'audit', 'show', '--limit', '500')).said

describe.each(KINDS)('on $name', ({ url }) => {
  test('a session is archived, then expires; those of another tenant are kept', async () => {
    await using door = await open(await url(), { chat: SOON, tenants: { kept: { chat: NEVER } } })
    const kept = await say(door, 'kate', 'keep this')
    const session = await say(door, 'anna', 'the word is marzipan')
    await expect.poll(() => statusOf(door, 'anna', session)).toBe('expired')
    expect(await statusOf(door, 'kate', kept)).toBe('active')

    const [file, ...others] = await filesIn(archiveOf(door))
    expect(others).toEqual([])
    expect(file).toMatch(new RegExp(`^acme/\\d{4}/\\d\\d/\\d\\d/${session}\\.jsonl\\.gz$`))
    const text = gunzipSync(await readFile(join(archiveOf(door), file ?? ''))).toString()
    expect(text).toContain('the word is marzipan')
    expect(text).toContain('That is done.')
    expect((await door.get('/health', as('anna'))).body).toMatchObject({ status: 'ok' })
    await door.running.close('test')

    expect(await amodal(door.dir, 'ops', 'archive', 'list')).toMatchObject({
      code: 0,
      said: expect.stringContaining(session) as string,
    })
    expect((await amodal(door.dir, 'ops', 'archive', 'show', session)).said).toContain('marzipan')
    const verified = await amodal(door.dir, 'ops', 'archive', 'verify')
    expect(verified).toMatchObject({ code: 0 })
    const [, sha256 = 'none'] = /ok +([0-9a-f]{64})/.exec(verified.said) ?? []
    expect(await auditOf(door.dir)).toMatch(
      new RegExp(`session\\.archived .*${session}.*${sha256}`),
    )

    await writeFile(join(archiveOf(door), file ?? ''), 'broken')
    expect(await amodal(door.dir, 'ops', 'archive', 'verify')).toMatchObject({
      code: 1,
      said: expect.stringContaining('DAMAGED') as string,
    })
  })

  test('a history that a fork needs is neither archived nor deleted before the fork', async () => {
    // long enough for a fork to be made before the parent is due
    const later = { idleAfter: '3s', expireAfter: '3s' }
    await using door = await open(await url(), { chat: later })
    const parent = await say(door, 'anna', 'said in the parent')
    const { body } = await door.get(`/sessions/${parent}`, as('anna'))
    const forked = await door.post(`/sessions/${parent}/fork`, { at: body['seq'] ?? 1 }, as('anna'))
    expect(forked.status, forked.text).toBeLessThan(300)
    const child = textIn(forked.body, 'session_id') || textIn(forked.body, 'id')
    await expect.poll(() => statusOf(door, 'anna', child)).toBe('expired')
    await expect.poll(() => statusOf(door, 'anna', parent)).toBe('expired')
    const files = await filesIn(archiveOf(door))
    expect(files).toHaveLength(2)
    for (const file of files)
      expect(gunzipSync(await readFile(join(archiveOf(door), file))).toString()).toContain(
        'said in the parent',
      )
    await door.running.close('test')
    const lines = (await auditOf(door.dir)).split('\n').filter((one) => one.includes('archived'))
    expect(lines.map((line) => (line.includes(child) ? 'child' : 'parent')).at(0)).toBe('child')
  })

  test('what cannot be archived stays, is told of, and is tried again', async () => {
    await using door = await open(await url(), { chat: SOON })
    await writeFile(archiveOf(door), 'a file is in the way')
    const session = await say(door, 'anna', 'do not lose this')
    await expect
      .poll(async () => (await door.get('/health', as('anna'))).body)
      .toMatchObject({
        status: 'degraded',
        problems: [expect.stringContaining('1 expired session is kept')],
      })
    expect(await statusOf(door, 'anna', session)).toBe('idle')
    expect((await door.get(`/sessions/${session}`, as('anna'))).text).toContain('do not lose this')
    expect(door.log.join('\n')).toContain('session_archive.failed')
    await rm(archiveOf(door))
    await expect.poll(() => statusOf(door, 'anna', session)).toBe('expired')
    await expect.poll(async () => (await door.get('/health', as('anna'))).body['status']).toBe('ok')
    expect(await filesIn(archiveOf(door))).toHaveLength(1)
  })

  test('files of a person go with the person', async () => {
    await using door = await open(await url(), { chat: SOON })
    const own = await say(door, 'anna', 'mine')
    const other = await say(door, 'amos', 'of somebody else')
    for (const [who, session] of [
      ['anna', own],
      ['amos', other],
    ] as const)
      await expect.poll(() => statusOf(door, who, session)).toBe('expired')
    await door.running.close('test')
    expect(await filesIn(archiveOf(door))).toHaveLength(2)
    const who = ['ops', 'erase', '--principal', principalOf('anna')]
    expect((await amodal(door.dir, ...who, '--dry-run')).said).toContain('session-archive: 1')
    expect(await filesIn(archiveOf(door))).toHaveLength(2)
    expect(await amodal(door.dir, ...who)).toMatchObject({ code: 0 })
    expect(await filesIn(archiveOf(door))).toEqual([expect.stringContaining(other)])
  })

  test('a server that is killed between archive and deletion loses nothing', async () => {
    const address = await url()
    await using door = await open(address, { chat: { idleAfter: '1d' } })
    const session = await say(door, 'anna', 'said before the kill')
    await door.running.close('test')
    const file = join(door.dir, 'amodal.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as JsonObject // written by the door
    const dying = manifestOf(address, { chat: SOON }, ['session-archive', DYING])
    await writeFile(file, JSON.stringify({ ...manifest, ...dying }))
    const killed = await new Amodal(['dev', '--dir', door.dir, '--port', '0'], PEOPLE).ended
    expect(killed.signal, killed.err).toBe('SIGKILL')
    const [archived] = await filesIn(archiveOf(door))
    expect(archived).toContain(session)
    const bytes = await readFile(join(archiveOf(door), archived ?? ''))

    await writeFile(file, JSON.stringify({ ...manifest, ...manifestOf(address, { chat: SOON }) }))
    await door.restart()
    await expect.poll(() => statusOf(door, 'anna', session)).toBe('expired')
    expect(await filesIn(archiveOf(door))).toEqual([archived])
    expect(await readFile(join(archiveOf(door), archived ?? ''))).toEqual(bytes)
    await door.running.close('test')
    const lines = (await auditOf(door.dir)).split('\n').filter((one) => one.includes('archived'))
    expect(lines).toHaveLength(1)
  })
})

test('several instances archive each session, whole', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(url, { chat: SOON })
  const others = await Promise.all(
    [1, 2].map(() => startFolder({ dir: door.dir, env: PEOPLE, port: 0, logLevel: 'none' })),
  )
  const running = others.map((one) => {
    if (!one.ok) throw new Error(explainStart(one.error))
    return one.value
  })
  try {
    const sessions = await Promise.all(
      Array.from({ length: 30 }, (_, n) => say(door, 'anna', `message ${n}`)),
    )
    for (const session of sessions)
      await expect.poll(() => statusOf(door, 'anna', session)).toBe('expired')
    const files = await filesIn(archiveOf(door))
    expect(files.map((file) => /(sess_\w+)\./.exec(file)?.[1]).sort()).toEqual(sessions.toSorted())
  } finally {
    for (const one of running) await one.close('test')
  }
  expect(await amodal(door.dir, 'ops', 'archive', 'verify')).toMatchObject({ code: 0 })
})
