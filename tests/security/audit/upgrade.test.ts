/**
 * An audit log of a release that sealed no heads, and whose checkpoints did not follow each other:
 * it is taken over once, by the first start, and what is added to it later is a finding.
 */
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  canonical,
  Database,
  definePlugin,
  type Entry,
  type JsonObject,
  type MigrationList,
  Migrations,
  sha256,
  use,
} from '@amodal/sdk'
import { type ModelServer, reply, startModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../../support/postgres.ts'
import { type Said, World } from './world.ts'

/** As they were released; the first one of this plugin is all that there was. */
const SCRIPTS = JSON.parse(
  await readFile(join(import.meta.dirname, '../../fixtures/migrations-as-scripts.json'), 'utf8'),
) as readonly MigrationList[]

/** `idle` gets no message after the upgrade, and no line of it was in a checkpoint. */
const TENANTS = ['local', 'acme', 'idle'] as const
const LINES = 12
const SIGNED: Readonly<Record<string, readonly number[]>> = { local: [5, 12], acme: [8], idle: [] }

interface Line {
  readonly n: number
  readonly key: string
  readonly body: string
  readonly hash: string
}

function chainOf(tenant: string, length = LINES): readonly Line[] {
  let previous = sha256('amodal audit chain, version 1')
  return Array.from({ length }, (_, index) => {
    const n = index + 1
    const key = `r${n}:start`
    const at = new Date(1_760_000_000_000 + n * 1_000).toISOString()
    const body = canonical({ v: 1, n, tenant, key, kind: 'run_start', at, data: { bundle: 'b' } })
    previous = sha256(`${previous}\n${body}`)
    return { n, key, body, hash: previous }
  })
}

const earlierPlugin = (): Entry => {
  const list = SCRIPTS.find(({ plugin }) => plugin === 'audit')
  if (!list) throw new Error('there is no list of the plugin')
  const first = { ...list, migrations: list.migrations.slice(0, 1) }
  return use(
    definePlugin({
      name: 'audit',
      version: '0.0.1',
      requires: { database: Database },
      setup: ({ add }) => add(Migrations, 'audit', first),
    }),
  )
}

const inserting = (tenant: string, lines: readonly Line[]) => [
  {
    sql: `insert into audit_line(tenant, n, key, session, body, hash)
      select $1, n, key, null, body, hash from jsonb_to_recordset($2::jsonb) x(n bigint, key text, body text, hash text)`,
    parameters: [tenant, JSON.stringify(lines)],
  },
  {
    sql: 'insert into audit_head(tenant, n, hash) values ($1, $2, $3)',
    parameters: [tenant, lines.length, lines.at(-1)?.hash ?? ''],
  },
]

/** What a server of that release has left: its rows and its folder. */
async function earlier(model: ModelServer, postgres: Postgres | undefined): Promise<World> {
  const world = await World.make(model, postgres)
  await mkdir(world.audit, { recursive: true, mode: 0o700 })
  await world.through(
    [earlierPlugin()],
    ...TENANTS.flatMap((tenant) => inserting(tenant, chainOf(tenant))),
  )
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')
  const checkpoints = TENANTS.flatMap((tenant) =>
    (SIGNED[tenant] ?? []).map((n) => {
      const hash = chainOf(tenant)[n - 1]?.hash ?? ''
      const said = { tenant, n, hash, at: '2025-10-09T12:00:00.000Z', key }
      const signature = sign(null, Buffer.from(canonical(said)), privateKey).toString('base64')
      return `${JSON.stringify({ ...said, signature })}\n`
    }),
  )
  await writeFile(join(world.audit, 'checkpoints.jsonl'), checkpoints.join(''))
  await writeFile(join(world.audit, 'signers'), `${key}\n`)
  await writeFile(
    join(world.audit, 'signing-key.pem'),
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  return world
}

const withoutCopies = async (world: World): Promise<World> => {
  const manifest = join(world.dir, 'amodal.json')
  await writeFile(
    manifest,
    (await readFile(manifest, 'utf8')).replace(',"checkpoints":"../outside"', ''),
  )
  return world
}

const expectSound = ({ code, said }: Said): string => {
  expect(said).not.toContain('✗')
  expect(code).toBe(0)
  return said
}
const expectFound = (said: Said, what: RegExp): void => {
  expect(said).toMatchObject({ code: 1, said: expect.stringMatching(what) as string })
}

const kindsOf = async (world: World, tenant: string): Promise<readonly unknown[]> =>
  (
    await world.sql(
      `select body from audit_line where tenant = '${tenant}' and n > ${LINES} order by n`,
    )
  ).map(({ body }) => (JSON.parse(String(body)) as JsonObject)['kind']) // a line

/** A chain that somebody who has the database and no key makes up. */
const forgeChain = async (world: World, tenant: string): Promise<void> => {
  const lines = chainOf(tenant, 3)
  const last = lines.at(-1)
  for (const { n, key, body, hash } of lines)
    await world.sql(
      `insert into audit_line(tenant, n, key, session, body, hash) values ('${tenant}', ${n}, '${key}', null, '${body}', '${hash}')`,
    )
  await world.sql(
    `insert into audit_head(tenant, n, hash) values ('${tenant}', 3, '${last?.hash ?? ''}')`,
  )
}

let model: ModelServer
let postgres: Postgres
beforeAll(async () => {
  ;[model, postgres] = await Promise.all([
    startModelServer({ script: reply.text('Hello there.') }),
    startPostgres(),
  ])
})
afterAll(async () => {
  await Promise.all([model.close(), postgres.stop()])
})

describe.each(['PGlite', 'Postgres'] as const)('an unsealed audit log on %s', (kind) => {
  test('is sealed as a whole by the first start, which is no finding', async () => {
    await using world = await earlier(model, kind === 'Postgres' ? postgres : undefined)
    await withoutCopies(world)
    const before = expectSound(await world.verify())
    for (const tenant of TENANTS)
      expect(before).toContain(
        `! ${tenant}: lines up to ${LINES} are of a release that did not seal them: the next start does`,
      )

    await world.talk()
    const after = expectSound(await world.verify())
    for (const tenant of TENANTS) {
      expect(after).toContain(
        `! ${tenant}: line ${LINES + 1}: lines up to ${LINES} are of a release that did not seal them\n`,
      )
      expect((await kindsOf(world, tenant))[0]).toBe('audit_unsealed')
    }
    expect(await kindsOf(world, 'idle')).toEqual(['audit_unsealed'])
    expect(await world.sql('select tenant from audit_head where seal is null')).toEqual([])

    // Once, however often it is started.
    await world.talk()
    expect(await kindsOf(world, 'idle')).toEqual(['audit_unsealed'])
    expectSound(await world.verify())
  })
})

describe('after the first start', () => {
  let upgraded: World
  beforeAll(async () => {
    upgraded = await earlier(model, postgres)
    await upgraded.talk()
  })
  afterAll(() => upgraded[Symbol.asyncDispose]())

  test('the file has all lines, and checkpoints elsewhere hold too', async () => {
    for (const argv of [[], ['--checkpoints', upgraded.outside], ['--file', upgraded.file]])
      expectSound(await upgraded.verify(...argv))
  })

  const text = (n: number): string =>
    `update audit_line set body = replace(body, '"data":{', '"data":{"more":1,') where tenant = 'idle' and n = ${n}`
  const cut = (tenant: string, n: number): readonly string[] => [
    `delete from audit_line where tenant = '${tenant}' and n > ${n}`,
    `update audit_head set seal = null, n = ${n}, hash = (select hash from audit_line where tenant = '${tenant}' and n = ${n}) where tenant = '${tenant}'`,
  ]

  test.each<readonly [string, readonly string[], RegExp]>([
    ['an early line that was changed', [text(3)], /✗ idle: line 3 was changed/],
    ['a chain cut to what was unsealed', cut('idle', LINES), /✗ idle: line 13 was signed, and/],
    [
      'a head without its seal',
      ["update audit_head set seal = null where tenant = 'idle'"],
      /✗ idle: the head of the chain, line 13, is not sealed/,
    ],
  ])('%s is found', async (_name, statements, what) => {
    await using world = await upgraded.copy()
    await world.sql(...statements)
    expectFound(await world.verify(), what)
    await world.talk()
    expectFound(await world.verify(), /✗ idle: /)
  })

  test('a whole chain that somebody has made up is found, and stays so', async () => {
    await using world = await upgraded.copy()
    await forgeChain(world, 'other')
    expectFound(await world.verify(), /✗ other: the head of the chain, line 3, is not sealed/)
    await world.talk()
    expectFound(await world.verify(), /✗ other: the head of the chain, line 3, is not sealed/)
  })

  test('a chain that somebody has made up for a tenant that then talks is found', async () => {
    await using world = await upgraded.copy()
    await world.sql(
      "delete from audit_line where tenant = 'acme'",
      "delete from audit_head where tenant = 'acme'",
    )
    await forgeChain(world, 'acme')
    await world.talk()
    expectFound(
      await world.verify(),
      /✗ acme: line 4: on \S+ the chain ended with a line that nobody had sealed/,
    )
  })
})

test('before the first start an early line that was changed or cut is found as far as it was signed', async () => {
  await using world = await earlier(model, postgres)
  await withoutCopies(world)
  await world.sql("update audit_line set hash = repeat('0', 64) where tenant = 'local' and n = 5")
  expectFound(await world.verify(), /✗ local: line 5 is not the one that was signed on 2025-10-09/)
  await world.talk()
  expectFound(await world.verify(), /✗ local: line 5 is not the one that was signed on 2025-10-09/)
})

test('an erasure waits for the first start: it would seal some chains, and not the others', async () => {
  await using world = await earlier(model, postgres)
  await withoutCopies(world)
  await world.sql(
    `update audit_line set body = replace(body, '"n":3', '"n":3,"principal":"jwt:anna"') where tenant = 'idle' and n = 3`,
  )
  const erase = ['erase', '--principal', 'jwt:anna'] as const
  expect(await world.ops(...erase)).toMatchObject({
    code: 1,
    said: expect.stringContaining('AUDIT_UNSEALED: the audit log of "idle"') as string,
  })
  await world.talk()
  expect(await world.ops(...erase)).toMatchObject({ code: 0 })
  expect(await world.sql("select n::int as n from audit_line where body = ''")).toEqual([{ n: 3 }])
})
