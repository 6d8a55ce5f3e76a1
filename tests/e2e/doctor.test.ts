/**
 * `amodal doctor` on installations that are broken, each in its own way: a real Postgres, and the
 * folder of PGlite.
 */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Checkup, JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Door, openDoor } from '../security/support/door.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { runCommand } from '../support/command.ts'

interface Report {
  readonly ok: boolean
  readonly problems: readonly string[]
  readonly checkups: readonly Checkup[]
}

let postgres: Postgres
let door: Door
let databaseUrl: string
beforeAll(async () => {
  postgres = await startPostgres({ durable: true })
  databaseUrl = await postgres.createDatabase()
  door = await openDoor({ manifest: manifestOf(databaseUrl), script: reply.text('Well.') })
  await door.say('hello')
  await door.running.close('test')
})
afterAll(async () => {
  await door[Symbol.asyncDispose]()
  await postgres.stop()
})

const manifestOf = (postgresUrl: string, plugins: readonly JsonObject[] = []): JsonObject => ({
  stores: { backend: 'postgres', postgresUrl },
  plugins: [...plugins],
})

async function doctor(manifest: JsonObject, env: Readonly<Record<string, string>> = {}) {
  const file = join(door.dir, 'amodal.json')
  const before = JSON.parse(await readFile(file, 'utf8')) as JsonObject // written by the door
  await writeFile(file, JSON.stringify({ ...before, ...manifest }))
  const { code, said } = await runCommand(['doctor', '--json', '--dir', door.dir], { env })
  // what the command prints
  return { code, report: JSON.parse(said.slice(said.indexOf('{'))) as Report }
}

const wrongIn = ({ report }: Awaited<ReturnType<typeof doctor>>): string =>
  report.checkups
    .filter(({ ok }) => !ok)
    .map(({ title, lines }) => [title, ...lines].join('\n'))
    .join('\n')

const allIn = ({ report }: Awaited<ReturnType<typeof doctor>>): string =>
  report.checkups.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n')

async function sql(url: string, ...statements: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: readonly unknown[] = []
    for (const one of statements) rows = (await client.query<Record<string, unknown>>(one)).rows
    return rows
  } finally {
    await client.end()
  }
}

const nameIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

/** A database with the schema, and something wrong in it. */
async function broken(...statements: readonly string[]): Promise<string> {
  const url = await postgres.createDatabase(databaseUrl)
  await sql(url, ...statements.map((one) => one.replaceAll('DATABASE', nameIn(url))))
  return url
}

describe('on Postgres', () => {
  test('nothing is wrong with a database that works', async () => {
    const said = await doctor(manifestOf(databaseUrl))
    expect(wrongIn(said)).toBe('')
    expect(said).toMatchObject({ code: 0, report: { ok: true, problems: [] } })
    expect(allIn(said)).toMatch(
      /connected in \d+ ms[^]*PostgreSQL \d+[^]*Clocks: [^]*nothing to do[^]*LISTEN and NOTIFY: work/,
    )
  })

  test('an empty one is looked at, and not migrated', async () => {
    const url = await postgres.createDatabase()
    const said = await doctor(manifestOf(url))
    expect(said.code, wrongIn(said)).toBe(0)
    expect(allIn(said)).toMatch(/Schema: none yet; the next start makes it with \d+ migrations/)
    expect(await sql(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([])
  })

  test('one that is behind says what the next start does', async () => {
    const url = await broken(
      "delete from amodal_migrations where plugin = 'sessions' and n = (select max(n) from amodal_migrations where plugin = 'sessions')",
    )
    const said = await doctor(manifestOf(url))
    expect(allIn(said)).toMatch(/the next start applies 1\nsessions \d+: \w/)
  })

  const CASES: readonly {
    readonly what: string
    readonly make: () => Promise<string>
    readonly says: RegExp
    readonly plugins?: readonly JsonObject[]
  }[] = [
    {
      what: 'nobody listens at the address',
      make: async () => 'postgres://amodal:secret@127.0.0.1:1/amodal',
      says: /Database at 127\.0\.0\.1:1\/amodal cannot be reached\n[^]*DATABASE_URL/,
    },
    {
      what: 'a newer release has migrated it',
      make: () =>
        broken(
          "insert into amodal_migrations (plugin, n, name, checksum) values ('sessions', 999, 'of the future', 'x')",
        ),
      says: /Schema does not fit this release\nMIGRATION_UNKNOWN[^]*of the future/,
    },
    {
      what: 'the user may create no tables',
      make: async () => {
        const url = await postgres.createDatabase()
        const who = `limited_${nameIn(url)}`
        await sql(url, `create role ${who} login`, 'revoke create on schema public from public')
        return url.replace('postgres@', `${who}@`)
      },
      says: /Rights of limited_\w+\nit may create no tables in schema public, and the next start has to: grant create/,
    },
    {
      what: 'transactions are serializable by default',
      make: () =>
        broken('alter database DATABASE set default_transaction_isolation to serializable'),
      says: /default_transaction_isolation is "serializable"/,
    },
    {
      what: 'commits are not durable',
      make: () => broken('alter database DATABASE set synchronous_commit to off'),
      says: /synchronous_commit is off/,
    },
    {
      what: 'nothing can be written',
      make: () => broken('alter database DATABASE set default_transaction_read_only to on'),
      says: /nothing can be written/,
    },
    {
      what: 'the pool is larger than the server',
      make: () => broken(),
      plugins: [{ use: 'db-postgres', config: { max: 900 } }],
      says: /need 901 of \d+: lower "max"/,
    },
    {
      what: 'a pooler in transaction mode is between',
      make: async () => poolerTo(await broken()),
      says: /LISTEN and NOTIFY: nothing arrives[^]*pooler in transaction mode/,
    },
    {
      what: 'a table is full of dead rows',
      make: () =>
        broken(
          'create table bloated (n int) with (autovacuum_enabled = off)',
          'insert into bloated select generate_series(1, 20000)',
          'delete from bloated',
        ),
      says: /bloated has 20000 dead rows/,
    },
    {
      what: 'entries were sealed with another key',
      make: () =>
        broken(
          `with l as (
  insert into sessions_lane (tenant, session, head, fence, principal, title, meta, state)
  values ('local', 's', 1, 0, 'ann', '', '{}', '{"v":1,"kind":"idle"}') returning lane)
insert into sessions_journal (lane, seq, body, sealed) select lane, 1, '{}', 'v1.deadbeef.AAAA' from l`,
        ),
      says: /Master key: opens \d+ of \d+ sealed entries\n[^]*another master key/,
    },
    {
      what: 'a session is set aside',
      make: () => broken("update sessions_lane set set_aside = '{}'"),
      says: /1 are set aside: look at them with amodal ops runs/,
    },
    {
      what: 'a job is dead',
      make: () =>
        broken(
          `insert into queue_database_job (tenant, queue, id, head, state, priority, due, data, retries, published_at)
           values ('local', 'deliveries', 'j', true, 'dead', 0, 0, '{}', '{}', 0)`,
        ),
      says: /deliveries: 1 dead letters; see amodal ops queue dead deliveries/,
    },
  ]
  test.each(CASES)('it says when $what', async ({ make, says, plugins = [] }) => {
    const said = await doctor(manifestOf(await make(), plugins))
    expect(wrongIn(said)).toMatch(says)
    expect(said).toMatchObject({ code: 1, report: { ok: false } })
    expect(allIn(said)).not.toContain('secret')
  })
})

/** Passes everything on but what a server sends without being asked, as such a pooler does. */
async function poolerTo(url: string): Promise<string> {
  const server = createServer((client) => {
    const database = connect(Number(new URL(url).port), '127.0.0.1')
    let held = Buffer.alloc(0)
    client.pipe(database)
    database.on('data', (chunk) => {
      held = Buffer.concat([held, chunk])
      while (held.length >= 5 && held.length > held.readInt32BE(1)) {
        const length = held.readInt32BE(1) + 1
        if (held[0] !== 'A'.charCodeAt(0)) client.write(held.subarray(0, length))
        held = held.subarray(length)
      }
    })
    for (const one of [client, database]) {
      one.on('error', () => undefined)
      one.on('close', () => [client, database].forEach((each) => each.destroy()))
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens
  return url.replace(/:\d+\//, `:${port}/`)
}

describe('on PGlite', () => {
  const EMBEDDED: JsonObject = { stores: {}, plugins: [] }

  test('it says when the folder is damaged, and when a server has it', async () => {
    await using own = await openDoor({ script: reply.text('Well.') })
    await own.say('hello')
    const look = () => doctor({ stores: { dataDir: join(own.dir, '.amodal', 'store-data') } })
    expect(allIn(await look())).toMatch(/not looked into\n[^]*is in use by/)
    await own.running.close('test')
    expect(wrongIn(await look())).toBe('')
    await writeFile(join(own.dir, '.amodal', 'store-data', 'PG_VERSION'), '')
    const said = await look()
    expect(wrongIn(said)).toMatch(/PG_VERSION/)
    expect(said.code).toBe(1)
  })

  test.runIf(process.platform !== 'win32')('it says who may read the keys', async () => {
    const folder = join(door.dir, '.amodal')
    await mkdir(folder, { recursive: true })
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'open-key'), 'x')
    await chmod(join(folder, 'open-key'), 0o644)
    const said = await doctor(EMBEDDED)
    expect(wrongIn(said)).toMatch(/others than its owner may read \S+open-key: chmod go-rwx/)
    await chmod(folder, 0o700)
    expect(wrongIn(await doctor(EMBEDDED))).toBe('')
  })

  test('it says when the master key is none', async () => {
    const said = await doctor(EMBEDDED, { AMODAL_MASTER_KEY: 'too short' })
    expect(wrongIn(said)).toMatch(/AMODAL_MASTER_KEY/)
    expect(said.code).toBe(1)
  })
})
