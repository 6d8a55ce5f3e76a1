/**
 * What a person has said is gone when it is asked for: from rows and from the bytes of files, and
 * the audit log still holds.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Postgres, startPostgres } from '../../support/postgres.ts'
import { type Door, openDoor, textIn } from '../support/door.ts'
import { as, keyFor, keysOf } from '../support/people.ts'
import { runCommand } from '../../support/command.ts'

const TURNS = 10
const principalOf = (name: string): string => `key:${keyFor(name).split('_')[1] ?? ''}`
const planted = (who: string, turn: number, where: string): string =>
  `planted-${who}-${turn}-${where}-end`
const WHERE = ['said', 'replied', 'noted', 'stored', 'paid'] as const
const plantsOf = (who: string, turns: number): readonly string[] =>
  Array.from({ length: turns }, (_, turn) => WHERE.map((where) => planted(who, turn, where))).flat()

const note = defineTool({
  name: 'pay',
  description: 'Pays.',
  readOnly: false,
  tier: 'allow',
  taint: 'ignore',
  input: z.object({ note: z.string() }),
  execute: async ({ note: text }) => ({ status: 'success', output: { paid: text } }),
})
const pays = definePlugin({
  name: 'pays',
  version: '1.0.0',
  setup({ add }) {
    add(Tools, 'pays', { tools: () => [note] })
  },
})

const NOTES = {
  name: 'notes',
  entity: {
    name: 'Note',
    key: '{id}',
    schema: { id: { type: 'string' }, text: { type: 'string' } },
  },
  history: { versions: 3 },
}

async function open(postgresUrl: string | undefined): Promise<Door> {
  return openDoor({
    env: keysOf({ anna: { tenant: 'acme' }, amos: { tenant: 'acme' } }),
    files: { 'stores/notes.json': NOTES },
    entries: [use(pays)],
    manifest: {
      plugins: [['audit', { file: 'lines.jsonl' }]],
      ...(postgresUrl !== undefined && { stores: { backend: 'postgres', postgresUrl } }),
    },
    script: ({ messages }) => {
      const asked = messages.findLast(({ role }) => role === 'user')
      const [, who = '', turn = '0'] =
        /planted-([a-z]+)-(\d+)-said/.exec(JSON.stringify(asked?.content)) ?? []
      const at = (where: string): string => planted(who, Number(turn), where)
      if (messages.at(-1)?.role === 'tool') return reply.text(at('replied'))
      return reply.toolCalls([
        { id: 'c1', name: 'remember', arguments: { text: at('noted') } },
        { id: 'c2', name: 'store_notes', arguments: { id: `${who}-${turn}`, text: at('stored') } },
        { id: 'c3', name: 'pay', arguments: { note: at('paid') } },
      ])
    },
  })
}

async function converse(door: Door): Promise<void> {
  let session: string | undefined
  for (let turn = 0; turn < TURNS; turn++) {
    const said = await door.say(
      planted('anna', turn, 'said'),
      session === undefined || turn % 4 === 0 ? {} : { session_id: session },
      as('anna'),
    )
    expect(said.body).toMatchObject({ response: planted('anna', turn, 'replied') })
    session = textIn(said.body, 'session_id')
    if (turn < 2) await door.say(planted('amos', turn, 'said'), {}, as('amos'))
  }
  await door.running.close('test')
}

const amodal = (dir: string, ...argv: readonly string[]) => runCommand([...argv, '--dir', dir])

/** Every byte below these folders. */
async function bytesOf(folders: readonly string[]): Promise<Buffer> {
  const found = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  )
  const files = found
    .flat()
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Buffer.concat(
    await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0)))),
  )
}

const foundIn = (bytes: Buffer, texts: readonly string[]): readonly string[] =>
  texts.filter((text) => bytes.includes(text))

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** The rows of all tables, as a dump has them, and the folder of their files. */
async function lookInto(url: string): Promise<{ readonly rows: Buffer; readonly folder: string }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('checkpoint')
    const tables = await client.query<{ name: string }>(
      "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname <> 'information_schema'",
    )
    const texts: string[] = []
    for (const { name } of tables.rows)
      texts.push(
        ...(await client.query<{ text: string }>(`select t::text as text from ${name} t`)).rows.map(
          ({ text }) => text,
        ),
      )
    const [place] = (
      await client.query<{ folder: string }>(
        "select current_setting('data_directory') || '/base/' || (select oid from pg_database where datname = current_database()) as folder",
      )
    ).rows
    return { rows: Buffer.from(texts.join('\n')), folder: place?.folder ?? '' }
  } finally {
    await client.end()
  }
}

async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('analyze')
  await client.end()
}

describe.each(['PGlite', 'Postgres'] as const)('on %s', (kind) => {
  test('0 bytes of 50 strings of a person are left, those of another stay, and the audit log holds', async () => {
    const url = kind === 'Postgres' ? await postgres.createDatabase() : undefined
    await using door = await open(url)
    await converse(door)
    const [own, others] = [plantsOf('anna', TURNS), plantsOf('amos', 2)]
    expect(own).toHaveLength(50)
    const bytes = async (): Promise<Buffer> => {
      const database = url === undefined ? undefined : await lookInto(url)
      return Buffer.concat([
        await bytesOf([door.dir, ...(database ? [database.folder] : [])]),
        database?.rows ?? Buffer.alloc(0),
      ])
    }
    // a database that has counted its tables keeps samples of their values
    if (url !== undefined) await analyze(url)
    expect(foundIn(await bytes(), own)).toEqual(own)

    const who = ['ops', 'erase', '--principal', principalOf('anna')]
    const dry = await amodal(door.dir, ...who, '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      said: expect.stringMatching(
        /Would erase \(3 sessions\):[^]*stores: 10\b[^]*memory: 10\b|Would erase \(3 sessions\):[^]*memory: 10\b[^]*stores: 10\b/,
      ) as string,
    })
    expect(foundIn(await bytes(), own)).toEqual(own)

    expect(await amodal(door.dir, ...who)).toMatchObject({
      code: 0,
      said: dry.said.replace('Would erase', 'Erased'),
    })
    const left = await bytes()
    expect(foundIn(left, own)).toEqual([])
    expect(foundIn(left, others)).toEqual(others)
    expect(left.includes(principalOf('anna'))).toBe(false)

    for (const argv of [[], ['--file', join(door.dir, 'lines.jsonl')]])
      expect(await amodal(door.dir, 'ops', 'audit', 'verify', ...argv)).toMatchObject({
        code: 0,
        said: expect.stringMatching(/✓ acme: \d+ lines/) as string,
      })
    expect((await amodal(door.dir, ...who)).said).toMatch(/Erased \(0 sessions\)/)
  })
})

test('what is at work is not erased, and neither is anything else of its person', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(url)
  await door.say(planted('anna', 0, 'said'), {}, as('anna'))
  await door.running.close('test')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    "update sessions_lane set owner = 'somebody', work = true, lease_until = now() + interval '1 hour'",
  )
  await client.end()
  expect(await amodal(door.dir, 'ops', 'erase', '--principal', principalOf('anna'))).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /RUN_ACTIVE: 1 of the sessions of key:\w+ are at work .*nothing was erased/,
    ) as string,
  })
  expect(
    foundIn((await lookInto(url)).rows, [planted('anna', 0, 'said'), planted('anna', 0, 'stored')]),
  ).toHaveLength(2)
})
