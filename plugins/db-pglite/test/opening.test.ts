import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  definePlugin,
  Health,
  Migrations,
  silentLogger,
  use,
  type Entry,
  type MigrationList,
} from '@amodal/sdk'
import { readImage, SHIPPED_IMAGE, unpackImage } from '../src/image.ts'
import { prepareImage } from '../src/prepare.ts'
import { boot, folder, never } from './support.ts'

const originOf = (logged: Awaited<ReturnType<typeof boot>>['logged']): unknown =>
  logged.findLast(({ event }) => event === 'database.opened')?.data['from']

describe('a new database', () => {
  test('starts from the shipped image, and is a folder afterwards', async () => {
    const dir = await folder()
    const first = await boot({ dir })
    await first.rows('create table kept(n int)')
    expect(originOf(first.logged)).toBe('image')
    await first.kernel.close()
    const second = await boot({ dir })
    expect(await second.rows('select count(*) as n from kept')).toEqual([{ n: 0 }])
    expect(originOf(second.logged)).toBe('folder')
    expect(readFileSync(join(dir, '.amodal/store-data/.gitignore'), 'utf8')).toBe('*\n')
    if (process.platform !== 'win32')
      expect(statSync(join(dir, '.amodal/store-data')).mode & 0o077).toBe(0)
  })

  test('in memory starts from the image too, and keeps nothing', async () => {
    const first = await boot({ dataDir: 'memory://' })
    await first.rows('create table kept(n int)')
    expect(originOf(first.logged)).toBe('image')
    const second = await boot({ dataDir: 'memory://' })
    expect(await second.rows("select to_regclass('kept') as kept")).toEqual([{ kept: null }])
  })

  test('whose image cannot be read takes the long way, and says so', async () => {
    const dir = await folder()
    const image = join(dir, 'bad.image')
    writeFileSync(image, readFileSync(SHIPPED_IMAGE).subarray(0, 500_000))
    const { rows, logged } = await boot({ dir, image })
    expect(await rows('select 1 as one')).toEqual([{ one: 1 }])
    expect(originOf(logged)).toBe('initdb')
    expect(logged.map(({ event }) => event)).toContain('database.image_unusable')
  }, 60_000)
})

describe('an image that was prepared', () => {
  const list = (...statements: readonly string[]): MigrationList => ({
    plugin: 'notes',
    migrations: statements.map((sql, at) => ({ name: `step ${at + 1}`, sql })),
    tenantTables: [],
  })
  const [first, second] = ['create table notes(n int)', 'alter table notes add column text text']
  const made = async (lists: MigrationList): Promise<string> => {
    const file = join(await folder(), 'prepared.image')
    expect(
      await prepareImage(new Map([['notes', lists]]), silentLogger, never, file),
    ).toMatchObject({ ok: true })
    return file
  }
  const wanting = (lists: MigrationList): Entry =>
    use(
      definePlugin({
        name: lists.plugin,
        version: '1.0.0',
        setup: ({ add }) => {
          add(Migrations, lists.plugin, lists)
        },
      }),
    )

  test('has its tables and no rows, and what came since is migrated', async () => {
    const image = await made(list(first))
    const same = await boot({ dir: await folder(), image }, [wanting(list(first))])
    expect(await same.rows('select * from notes')).toEqual([])
    expect(same.logged.map(({ event }) => event)).not.toContain('database.migrated')
    const newer = await boot({ dataDir: 'memory://', image }, [wanting(list(first, second))])
    expect(await newer.rows('select text from notes')).toEqual([])
    expect(newer.logged.find(({ event }) => event === 'database.migrated')?.data).toEqual({
      migrations: ['notes 2'],
    })
  })

  test.each([
    [
      'by other migrations',
      list('create table notes(n int, text text)'),
      'migration 1 ("step 1") of notes is not the one',
    ],
    [
      'for plugins that are not there',
      { ...list('create table others(n int)'), plugin: 'others' },
      'it holds tables of notes, which is not among the plugins',
    ],
  ])(
    '%s is not used, and the log says so',
    async (_, lists, why) => {
      const image = await made(list(first))
      const { rows, logged } = await boot({ dataDir: 'memory://', image }, [wanting(lists)])
      expect(await rows('select 1 as one')).toEqual([{ one: 1 }])
      expect(originOf(logged)).toBe('initdb')
      expect(logged.find(({ event }) => event === 'database.image_unfit')?.data).toMatchObject({
        image,
        message: expect.stringContaining(why) as string,
      })
    },
    60_000,
  )

  test('says what kept it from being made', async () => {
    const made = await prepareImage(
      new Map([['notes', list('create nonsense')]]),
      silentLogger,
      never,
      join(await folder(), 'prepared.image'),
    )
    expect(made).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/migration 1 .* of notes failed/) as string },
    })
  })
})

test.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  [
    'changed',
    (bytes: Buffer) =>
      Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
  ],
  ['no image', () => Buffer.from('hello')],
  ['empty', () => Buffer.alloc(0)],
])('an image that is %s is not read', async (_, damage) => {
  const image = join(await folder(), 'bad.image')
  writeFileSync(image, damage(readFileSync(SHIPPED_IMAGE)))
  await expect(readImage(image)).rejects.toThrow('damaged')
})

test('an image that holds no database, or leads out of its folder, is not unpacked', async () => {
  const dir = await folder()
  expect(() => unpackImage(new Uint8Array(1_024), dir)).toThrow('no database')
  const tar = await (await readImage(SHIPPED_IMAGE)).tar()
  const leading = new Uint8Array(tar)
  leading.set(Buffer.from('../outside\0'), 0)
  expect(() => unpackImage(leading, dir)).toThrow('leads out')
})

test('the shipped image was made by the PGlite that is installed', async () => {
  const manifest = join(
    dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')),
    '..',
    'package.json',
  )
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  expect((await readImage(SHIPPED_IMAGE)).header.pglite).toBe(version)
})

describe('the start', () => {
  test('does not wait for the database; a statement does, and so can whoever asks for health', async () => {
    const dir = await folder()
    const { kernel, database, rows } = await boot({ dir })
    const health = (): unknown => kernel.current().registry(Health).get('database')?.()
    expect(database.ready()).toEqual({ ready: false })
    expect(health()).toEqual({ facts: { database: { dialect: 'pglite', ready: false } } })
    expect(await rows('select 1 as one')).toEqual([{ one: 1 }])
    expect(health()).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
  })

  test('may be given up while the database is still opening', async () => {
    const dir = await folder()
    const { kernel } = await boot({ dir })
    expect(await kernel.close()).toEqual([])
    const again = await boot({ dir })
    expect(await again.rows('select 1 as one')).toEqual([{ one: 1 }])
  })

  test('on a folder of another Postgres says so in every statement and in health', async () => {
    const dir = await folder()
    const first = await boot({ dir })
    await first.rows('select 1')
    await first.kernel.close()
    writeFileSync(join(dir, '.amodal/store-data/PG_VERSION'), '16\n')
    const { database, kernel } = await boot({ dir })
    const refused = await database.run(
      { sql: 'select 1', parameters: [] },
      AbortSignal.timeout(5_000),
    )
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: 'DATABASE_UNAVAILABLE',
        message: expect.stringMatching(/Postgres 16.*Postgres 18/) as string,
      },
    })
    expect(database.ready()).toMatchObject({
      ready: false,
      problem: { code: 'DATABASE_UNAVAILABLE' },
    })
    expect(kernel.current().registry(Health).get('database')?.()).toMatchObject({
      problem: expect.stringContaining('Postgres 16') as string,
    })
  })
})
