/** What is in a backup, and how it moves between databases and releases. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { use } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDoor, textIn } from '../security/support/door.ts'
import { pay } from '../security/support/pay.ts'
import {
  amodal,
  backUp,
  fileIn,
  history,
  linesOf,
  move,
  onPostgres,
  open,
  rowsIn,
  rowsOf,
  say,
  SECRET,
  tablesOf,
} from '../support/backups.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { Amodal, serve } from './server.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

test('a backup of PGlite goes into Postgres, and back, without a difference', async () => {
  await using door = await open({})
  const session = await say(door, 'said on PGlite')
  await door.running.close('test')
  await backUp(door)

  const url = await postgres.createDatabase()
  await move(door, onPostgres(url))
  expect(await amodal(door.dir, 'ops', 'restore', fileIn(door))).toMatchObject({ code: 0 })
  const second = `${fileIn(door)}.postgres`
  await backUp(door, second)
  expect(await tablesOf(second)).toEqual(await tablesOf(fileIn(door)))
  await door.restart()
  expect(await history(door, session)).toContain('said on PGlite')
  await say(door, 'said on Postgres', session)
  await door.running.close('test')

  const third = `${fileIn(door)}.third`
  await backUp(door, third)
  await move(door, {})
  expect(await amodal(door.dir, 'ops', 'restore', third, '--replace')).toMatchObject({ code: 0 })
  expect(await amodal(door.dir, 'ops', 'audit', 'verify')).toMatchObject({ code: 0 })
  await door.restart()
  expect(await history(door, session)).toContain('said on Postgres')
})

test('a backup holds no key, and names what it leaves out', async () => {
  await using door = await open({})
  await say(door, 'hello')
  await door.running.close('test')
  const { out } = await amodal(door.dir, 'ops', 'backup', '--output', fileIn(door))
  expect(out).toMatch(/Not in it: \.amodal\/master-key/)
  expect(out).toMatch(/Not in it: \.amodal\/audit/)
  const text = gunzipSync(await readFile(fileIn(door))).toString()
  const masterKey = (await readFile(join(door.dir, '.amodal/master-key'), 'utf8')).trim()
  const signingKey = await readFile(join(door.dir, '.amodal/audit/signing-key.pem'), 'utf8')
  for (const secret of [masterKey, SECRET, signingKey.split('\n')[1] ?? ''])
    expect(text.includes(secret)).toBe(false)
  expect(await readdir(door.dir)).not.toContain('agent.backup.partial')
  expect(await amodal(door.dir, 'ops', 'backup', '--output', fileIn(door))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^FILE_EXISTS/) as string,
  })
  const nowhere = join(door.dir, 'no-such-folder/agent.backup')
  expect(await amodal(door.dir, 'ops', 'backup', '--output', nowhere)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^UNREADABLE: .*no-such-folder.*ENOENT/) as string,
  })
})

test('a running server on PGlite is named; one on Postgres is backed up while it runs', async () => {
  await using door = await open({})
  const session = await say(door, 'running')
  await door.running.close('test')
  {
    await using server = await serve(door.dir)
    const refused = await amodal(door.dir, 'ops', 'backup', '--output', fileIn(door))
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/DATABASE_LOCKED.*in use by the server/)
    await server.process.kill('SIGTERM')
  }
  await backUp(door)
  await move(door, onPostgres(await postgres.createDatabase()))
  expect(await amodal(door.dir, 'ops', 'restore', fileIn(door))).toMatchObject({ code: 0 })
  await using server = await serve(door.dir)
  await backUp(door, `${fileIn(door)}.online`)
  const argv = ['ops', 'restore', fileIn(door), '--replace', '--dir', door.dir]
  const refused = await new Amodal(argv).ended
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/^DATABASE_IN_USE: /)
  await server.process.kill('SIGTERM')
  await door.restart()
  expect(await history(door, session)).toContain('running')
})

test('a call that waits for a person is approved after the restore, as it was sealed', async () => {
  const { plugin, paid } = pay('confirm')
  await using door = await openDoor({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? reply.text('Paid.')
        : reply.toolCalls([{ id: 'c', name: 'pay', arguments: { amount: 7 } }]),
    entries: [use(plugin)],
  })
  const parked = await door.say('pay 7')
  expect(parked.status, parked.text).toBe(202)
  const session = textIn(parked.body, 'session_id')
  const [, id = ''] = /"id":"(ask_[^"]+)"/.exec(parked.text) ?? []
  await door.running.close('test')
  await backUp(door)
  await rm(join(door.dir, '.amodal/store-data'), { recursive: true })
  expect(await amodal(door.dir, 'ops', 'restore', fileIn(door))).toMatchObject({ code: 0 })
  await door.restart()
  expect(paid).toEqual([])
  await door.answer({ session_id: session, id, approved: true })
  await expect.poll(() => history(door, session)).toContain('Paid.')
  expect(paid).toEqual([7])
})

test('all tables are of one moment, while others write', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(onPostgres(url))
  await door.running.close('test')
  await rowsIn(
    url,
    `insert into sessions_journal(lane, seq, body) select 10000000 + n, 1, repeat('x', 1000) from generate_series(1, 20000) n`,
  )
  const backup = new Amodal(['ops', 'backup', '--output', fileIn(door), '--dir', door.dir])
  let isRunning = true
  void backup.ended.finally(() => {
    isRunning = false
  })
  let written = 0
  // rows of the first and of the last table, always as many of each
  for (; isRunning; written++)
    await rowsIn(
      url,
      `insert into memory_note(tenant, owner, id, text, origin, noted_by) values ('t', 'o', '${written}', 'x', '{}', 'o');
       insert into usage_tenant(tenant, since, compared) values ('${written}', 0, 0)`,
    )
  expect(await backup.ended).toMatchObject({ code: 0, err: '' })
  const notes = await rowsOf(fileIn(door), 'memory_note')
  expect(notes).toBe(await rowsOf(fileIn(door), 'usage_tenant'))
  expect(notes).toBeGreaterThan(0)
  expect(notes).toBeLessThan(written)
})

test('an older backup has the schema of its release, and migrations follow', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(onPostgres(url))
  const session = await say(door, 'from an older release')
  await door.running.close('test')
  // as the release before had it
  await rowsIn(
    url,
    `drop table assets_removal; alter table assets_content drop column outside; delete from amodal_migrations where plugin = 'assets' and n = 2`,
  )
  await backUp(door)
  await move(door, onPostgres(await postgres.createDatabase()))
  expect(await amodal(door.dir, 'ops', 'restore', fileIn(door))).toMatchObject({ code: 0 })
  const plan = await amodal(door.dir, 'ops', 'migrate', '--plan')
  expect(plan).toMatchObject({ code: 0, out: 'Pending:\n  assets 2: bytes-outside\n' })
  expect(await amodal(door.dir, 'ops', 'migrate', '--plan')).toEqual(plan)
  expect(await amodal(door.dir, 'ops', 'migrate')).toMatchObject({
    code: 0,
    out: 'Applied:\n  assets 2: bytes-outside\n',
  })
  expect(await amodal(door.dir, 'ops', 'migrate')).toMatchObject({
    code: 0,
    out: 'No migration is pending.\n',
  })
  await door.restart()
  expect(await history(door, session)).toContain('from an older release')
})

test('tables of others in the same schema are neither copied nor removed', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(onPostgres(url))
  await say(door, 'hello')
  await door.running.close('test')
  await rowsIn(url, "create table auth_users(name text); insert into auth_users values ('olga')")
  await backUp(door)
  const [header] = await linesOf(fileIn(door))
  expect(JSON.stringify(header)).not.toContain('auth_users')
  expect(await amodal(door.dir, 'ops', 'restore', fileIn(door), '--replace')).toMatchObject({
    code: 0,
  })
  expect(await rowsIn(url, 'select name from auth_users')).toEqual([{ name: 'olga' }])
})

test('every table, function and sequence of the plugins is known by its migration', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(onPostgres(url))
  await say(door, 'hello')
  await door.running.close('test')
  await backUp(door)
  const [header] = await linesOf(fileIn(door))
  const tables = await rowsIn<{ name: string }>(
    url,
    "select tablename::text as name from pg_tables where schemaname = 'public' and tablename <> 'amodal_migrations'",
  )
  const copied = ((header?.['tables'] ?? []) as readonly { name: string }[]).map(({ name }) => name)
  expect(copied.toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  expect(copied.length).toBeGreaterThan(20)
  // nothing that a restore would have to know of besides
  expect(
    await rowsIn(
      url,
      `select relname from pg_class c join pg_namespace s on s.oid = c.relnamespace
       where s.nspname = 'public' and (relkind in ('m', 'f') or relkind = 'S'
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('i', 'a')))`,
    ),
  ).toEqual([])
  expect(await rowsIn(url, "select conname from pg_constraint where contype = 'f'")).toEqual([])
})

test('a database of a newer release is refused by `ops migrate`, as by a start', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(onPostgres(url))
  await door.running.close('test')
  await rowsIn(
    url,
    "insert into amodal_migrations(plugin, n, name, checksum) values ('feedback', 99, 'of tomorrow', 'x')",
  )
  for (const argv of [['migrate', '--plan'], ['migrate'], ['backup', '--output', fileIn(door)]])
    expect(await amodal(door.dir, 'ops', ...argv)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^MIGRATION_UNKNOWN: .*of tomorrow/) as string,
    })
})
