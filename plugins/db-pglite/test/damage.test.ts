import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { explain, Health, Kernel, use } from '@amodal/sdk'
import { dbPglite } from '../src/index.ts'
import { redoPosition } from '../src/manifest.ts'
import { boot, folder, holder, never, type Booted } from './support.ts'

const DATA = '.amodal/store-data'
const ROWS = 300

interface Table {
  readonly dir: string
  readonly file: string
}

/** A folder with a table in it, closed in order; `file`: where its rows are. */
async function withRows(): Promise<Table> {
  const dir = await folder()
  const { rows, kernel } = await boot({ dir })
  await rows('create table kept(n int primary key, body text)')
  await rows('create table vacant(n int, body text)')
  for (let n = 0; n < ROWS; n++) await rows('insert into kept values ($1, $2)', n, 'x'.repeat(200))
  const [found] = await rows("select pg_relation_filepath('kept') as file")
  expect(await kernel.close()).toEqual([])
  return { dir, file: String(found?.['file']) }
}

/**
 * Every file that is Postgres' own, with its hash. (`postmaster.pid` says who tried to open it.)
 */
function hashes(dir: string): Readonly<Record<string, string>> {
  const files = readdirSync(join(dir, DATA), { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() && !entry.name.startsWith('amodal.') && entry.name !== 'postmaster.pid',
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      createHash('sha256')
        .update(readFileSync(join(parentPath, name)))
        .digest('hex'),
    ]),
  )
}

const zeros = (file: string): void => writeFileSync(file, Buffer.alloc(statSync(file).size))
const segmentIn = (data: string): string =>
  join(
    data,
    'pg_wal',
    readdirSync(join(data, 'pg_wal'))
      .filter((name) => /^[0-9A-F]{24}$/.test(name))
      .sort()[0] ?? '',
  )

function flip(file: string, at: number): void {
  const descriptor = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  readSync(descriptor, byte, 0, 1, at)
  writeSync(descriptor, Buffer.from([(byte[0] ?? 0) ^ 0xff]), 0, 1, at)
  closeSync(descriptor)
}

const healthOf = ({ kernel }: Booted): unknown =>
  kernel.current().registry(Health).get('database')?.()

describe('a data folder that was damaged while no server ran', () => {
  let made: Promise<Table> | undefined
  let copy = ''
  afterAll(() => {
    if (copy !== '') rmSync(copy, { recursive: true, force: true })
  })

  /** One folder, copied for each test; it outlives the test that made it. */
  const original = (): Promise<Table> =>
    (made ??= withRows().then(({ dir, file }) => {
      copy = mkdtempSync(join(tmpdir(), 'amodal-damage-'))
      cpSync(dir, copy, { recursive: true })
      return { dir: copy, file }
    }))

  test.each<readonly [what: string, damage: (data: string, rows: string) => void]>([
    ['PG_VERSION is missing', (data) => rmSync(join(data, 'PG_VERSION'))],
    ['PG_VERSION is empty', (data) => truncateSync(join(data, 'PG_VERSION'))],
    ['PG_VERSION is zeroed', (data) => zeros(join(data, 'PG_VERSION'))],
    [
      'PG_VERSION is of another Postgres',
      (data) => writeFileSync(join(data, 'PG_VERSION'), '16\n'),
    ],
    ['global/pg_control is missing', (data) => rmSync(join(data, 'global/pg_control'))],
    ['global/pg_control is cut off', (data) => truncateSync(join(data, 'global/pg_control'), 10)],
    ['global/pg_control is zeroed', (data) => zeros(join(data, 'global/pg_control'))],
    ['the log is missing', (data) => rmSync(segmentIn(data))],
    ['the log is cut off', (data) => truncateSync(segmentIn(data), 100)],
    ['the log is zeroed', (data) => zeros(segmentIn(data))],
    ['pg_xact is zeroed', (data) => zeros(join(data, 'pg_xact/0000'))],
    ['pg_xact is missing', (data) => rmSync(join(data, 'pg_xact/0000'))],
    ['a table is missing', (data, rows) => rmSync(join(data, rows))],
    ['a table is cut off', (data, rows) => truncateSync(join(data, rows), 8_192)],
    ['a table is empty', (data, rows) => truncateSync(join(data, rows), 0)],
    ['a table is zeroed', (data, rows) => zeros(join(data, rows))],
    ['the catalogue is missing', (data) => rmSync(join(data, 'base/5/1259'))],
    ['the catalogue is zeroed', (data) => zeros(join(data, 'base/5/1259'))],
    ['base is missing', (data) => rmSync(join(data, 'base'), { recursive: true })],
    ['pg_wal is missing', (data) => rmSync(join(data, 'pg_wal'), { recursive: true })],
    [
      'all but our own notes is missing',
      (data) =>
        readdirSync(data)
          .filter((name) => !name.startsWith('amodal.'))
          .forEach((name) => rmSync(join(data, name), { recursive: true })),
    ],
  ])(
    '%s: it is not initialised, and nothing is said to be fine',
    async (_, damage) => {
      const dir = await folder()
      const data = join(dir, DATA)
      const { dir: from, file } = await original()
      cpSync(join(from, DATA), data, { recursive: true })
      damage(data, file)
      const before = hashes(dir)
      const started = await Kernel.create([use(dbPglite, { dir })])
      if (started.ok) {
        const kernel = started.value
        const health = (): unknown => kernel.current().registry(Health).get('database')?.()
        await expect
          .poll(health, { timeout: 20_000 })
          .toMatchObject({ problem: expect.stringContaining(data) as string })
        await kernel.close()
      } else {
        const text = explain(started.error)
        expect(text).toContain('DATABASE_DAMAGED')
        expect(text).toContain(data)
        expect(text).toMatch(
          /restore a backup of the folder, move it away .*, or choose another dataDir/,
        )
      }
      expect(hashes(dir)).toEqual(before)
    },
    40_000,
  )
})

test('a folder that holds something else is not initialised', async () => {
  const dir = await folder()
  mkdirSync(join(dir, 'photos'))
  writeFileSync(join(dir, 'photos/cat.jpg'), 'meow')
  const started = await Kernel.create([use(dbPglite, { dir, dataDir: 'photos' })])
  expect(started.ok ? 'it started' : explain(started.error)).toContain('DATABASE_DAMAGED')
  expect(readdirSync(join(dir, 'photos')).filter((name) => !name.startsWith('amodal.'))).toEqual([
    'cat.jpg',
  ])
})

describe('an initialisation that was interrupted', () => {
  test.each<readonly [when: string, interrupt: (data: string) => void]>([
    [
      'while it was unpacked',
      (data) => {
        const names = readdirSync(data).filter((name) => !/^(?:amodal\.|\.git)/.test(name))
        mkdirSync(join(data, 'amodal.unpacking'))
        for (const name of names) {
          if (name !== 'PG_VERSION')
            renameSync(join(data, name), join(data, 'amodal.unpacking', name))
        }
        rmSync(join(data, 'PG_VERSION'))
        truncateSync(join(data, 'amodal.unpacking/global/pg_control'), 10)
      },
    ],
    [
      'while its files were moved',
      (data) => {
        mkdirSync(join(data, 'amodal.unpacked'))
        for (const name of ['PG_VERSION', 'pg_wal', 'global'])
          renameSync(join(data, name), join(data, 'amodal.unpacked', name))
      },
    ],
    ['after its files were moved', (data) => mkdirSync(join(data, 'amodal.unpacked'))],
  ])('%s is completed by the next start', async (_, interrupt) => {
    const dir = await folder()
    const data = join(dir, DATA)
    const first = await boot({ dir })
    await first.rows('select 1')
    await first.kernel.close()
    readdirSync(data)
      .filter((name) => name.startsWith('amodal.'))
      .forEach((name) => rmSync(join(data, name)))
    interrupt(data)
    const again = await boot({ dir })
    expect(await again.rows('select 1 as one')).toEqual([{ one: 1 }])
    expect(readdirSync(data)).not.toContain('amodal.unpacked')
    expect(readdirSync(data)).not.toContain('amodal.unpacking')
    expect(healthOf(again)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
  })
})

describe('what was acknowledged, and is not there any more', () => {
  /** A server that was killed with rows that are in the write-ahead log only. */
  async function killed(): Promise<string> {
    const dir = await folder()
    const child = await holder(dir, '', 'many')
    const progress = join(dir, DATA, 'amodal.progress.json')
    await expect.poll(() => existsSync(progress) && readFileSync(progress, 'utf8')).toContain('lsn')
    await expect.poll(() => Date.now() - statSync(progress).mtimeMs).toBeGreaterThan(1_000)
    child.kill('SIGKILL')
    await once(child, 'exit')
    return dir
  }

  test('is reported where the write-ahead log breaks off, until somebody accepts it', async () => {
    const dir = await killed()
    const data = join(dir, DATA)
    const lsn =
      /"lsn":"0\/([0-9A-F]+)"/.exec(
        readFileSync(join(data, 'amodal.progress.json'), 'utf8'),
      )?.[1] ?? ''
    const end = Number.parseInt(lsn, 16)
    const segment = join(
      data,
      'pg_wal',
      readdirSync(join(data, 'pg_wal')).find(
        (name) => Number.parseInt(name.slice(16), 16) === Math.floor(end / 2 ** 20),
      ) ?? '',
    )
    flip(segment, (end % 2 ** 20) - 2_000)
    const found = readFileSync(segment)
    const first = await boot({ dir })
    expect(Number((await first.rows('select count(*) as n from many'))[0]?.['n'])).toBeLessThan(100)
    expect(healthOf(first)).toMatchObject({
      problem: expect.stringMatching(
        /DATABASE_DAMAGED.*latest changes are lost.*amodal ops database accept-loss/,
      ) as string,
    })
    expect(first.logged.map(({ event }) => event)).toContain('database.damaged')
    const kept = readFileSync(
      join(data, 'amodal.wal-before-recovery', segment.split('/').at(-1) ?? ''),
    )
    expect(kept.equals(found)).toBe(true)
    await first.kernel.close()

    const second = await boot({ dir })
    await second.rows('select 1')
    const write = { sql: "insert into many values (1000, 'x')", parameters: [] }
    expect(await second.database.run(write, never)).toMatchObject({
      ok: false,
      error: { code: 'DATABASE_DAMAGED' },
    })
    expect(await second.database.transaction((run) => run(write), never)).toMatchObject({
      ok: false,
      error: { code: 'DATABASE_DAMAGED' },
    })
    expect(healthOf(second)).toMatchObject({
      problem: expect.stringContaining('latest changes are lost') as string,
    })
    rmSync(join(data, 'amodal.damage.json'))
    expect(healthOf(second)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
    expect((await second.database.run(write, never)).ok).toBe(true)
    await second.kernel.close()
    const third = await boot({ dir })
    await third.rows('select 1')
    expect(healthOf(third)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
    expect(existsSync(join(data, 'amodal.wal-before-recovery'))).toBe(false)
  }, 60_000)

  test('is nothing to report where a server was only killed', async () => {
    const dir = await killed()
    const again = await boot({ dir })
    expect(await again.rows('select count(*) as n from many')).toEqual([{ n: 100 }])
    expect(healthOf(again)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
  }, 60_000)

  test('is reported where a table was zeroed after a kill, before anything opens it', async () => {
    const { dir, file } = await withRows()
    const child = await holder(dir)
    const manifest = join(dir, DATA, 'amodal.files.json')
    await expect.poll(() => readFileSync(manifest, 'utf8')).toContain('"clean":false')
    child.kill('SIGKILL')
    await once(child, 'exit')
    zeros(join(dir, DATA, file))
    const started = await Kernel.create([use(dbPglite, { dir })])
    expect(started.ok ? 'it started' : explain(started.error)).toMatch(
      /DATABASE_DAMAGED[^]*is filled with zeros[^]*remove amodal\.files\.json/,
    )
  }, 60_000)

  test('is reported where a table is missing after a kill', async () => {
    const { dir, file } = await withRows()
    const child = await holder(dir)
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(join(dir, DATA, file))
    const again = await boot({ dir })
    await again.rows('select 1')
    expect(healthOf(again)).toMatchObject({
      problem: expect.stringContaining(`${file} is missing or cut off`) as string,
    })
  }, 60_000)

  test('is no table that was empty, and whose first rows are in the write-ahead log only', async () => {
    const { dir } = await withRows()
    const child = await holder(dir, '', 'fill')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const again = await boot({ dir })
    expect(await again.rows('select count(*) as n from vacant')).toEqual([{ n: 100 }])
    expect(healthOf(again)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
  }, 60_000)

  test('is no table that was dropped or emptied before the kill', async () => {
    const { dir } = await withRows()
    const child = await holder(dir, '', 'drop')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const again = await boot({ dir })
    await again.rows('select 1')
    expect(healthOf(again)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
  }, 60_000)
})

test('where the latest checkpoint begins is read from the file as Postgres reads it', async () => {
  const dir = await folder()
  const { rows } = await boot({ dir })
  for (let round = 0; round < 2; round++) {
    const [row] = await rows("select redo_lsn - '0/0'::pg_lsn as redo from pg_control_checkpoint()")
    expect(redoPosition(join(dir, DATA))).toBe(BigInt(String(row?.['redo'])))
    await rows('create table if not exists kept(n int)')
    await rows('checkpoint')
  }
})

test('a page that is found damaged while the server runs makes health say so', async () => {
  const { dir, file } = await withRows()
  const size = statSync(join(dir, DATA, file)).size
  expect(size).toBeGreaterThan(3 * 8_192)
  flip(join(dir, DATA, file), 2 * 8_192 + 5_000)
  const again = await boot({ dir })
  expect(
    (await again.database.run({ sql: 'select sum(length(body)) from kept', parameters: [] }, never))
      .ok,
  ).toBe(false)
  expect(healthOf(again)).toMatchObject({
    problem: expect.stringContaining('invalid page') as string,
  })
  expect((await again.database.run({ sql: 'select 1', parameters: [] }, never)).ok).toBe(true)
}, 60_000)

test('a folder that another program has opened since, or an older release, is no damaged one', async () => {
  const { dir } = await withRows()
  const manifest = join(dir, DATA, 'amodal.files.json')
  const old = readFileSync(manifest)
  const between = await boot({ dir })
  await between.rows('delete from kept')
  await between.kernel.close()
  writeFileSync(manifest, old)
  const again = await boot({ dir })
  expect(await again.rows('select count(*) as n from kept')).toEqual([{ n: 0 }])
  expect(healthOf(again)).toEqual({ facts: { database: { dialect: 'pglite', ready: true } } })
}, 60_000)
