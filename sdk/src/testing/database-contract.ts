import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  err,
  Kernel,
  principalId,
  sessionId,
  SessionFacts,
  tenantId,
  type Entry,
  type KernelError,
  type Result,
  sleep,
} from '@amodal/kernel'
import { definePlugin } from '../define-plugin.ts'
import { use } from '@amodal/kernel'
import {
  catalogueProblems,
  checksumOf,
  connectionBroke,
  refusedData,
  script,
  sqlstateOf,
  tables,
} from '../database/index.ts'
import {
  Database,
  Migrations,
  TenantDatabase,
  type MigrationList,
  type Row,
  type Statement,
} from '../ports/index.ts'

/** A fresh, empty database, and how to reach it again and again. */
export interface DatabaseUnderTest {
  /**
   * Plugins that provide Database and TenantDatabase; booted several times, one after the other, on
   * the same data.
   */
  readonly entries: readonly Entry[]
  /** Throws the data away. */
  readonly remove: () => Promise<void>
}

const NOTES = {
  plugin: 'contract-notes',
  migrations: [
    {
      name: 'notes',
      sql: 'create table contract_notes(tenant text not null, id int not null, body text not null, primary key(tenant, id));',
    },
    {
      name: 'counters',
      sql: 'create table contract_notes_counters(tenant text not null, name text not null, n bigint not null, primary key(tenant, name)); create index contract_notes_counters_n on contract_notes_counters(tenant, n);',
    },
  ],
  tenantTables: ['contract_notes'],
} satisfies MigrationList

/** A plugin that brings migrations. */
function bringing(list: MigrationList): Entry {
  return use(
    definePlugin({
      name: list.plugin,
      version: '1.0.0',
      requires: { database: Database },
      setup({ add }) {
        add(Migrations, list.plugin, list)
      },
    }),
  )
}

/**
 * The behaviour that every provider of the Database slot shows: values, transactions, failures,
 * NOTIFY, migrations and the wall between tenants.
 *
 * @param make called once per group of tests
 * @example
 * databaseContract('db-pglite', async () => ({
 *   entries: [use(dbPglite, { dataDir: folder })],
 *   remove: () => rm(folder, { recursive: true }),
 * }))
 */
export function databaseContract(name: string, make: () => Promise<DatabaseUnderTest>): void {
  describe(`${name} is a Database`, () => {
    let under: DatabaseUnderTest
    let kernel: Kernel
    let database: Database
    const signal = new AbortController().signal
    const run = async (sql: string, ...parameters: readonly unknown[]): Promise<readonly Row[]> =>
      valueOf(await database.run({ sql, parameters }, signal))

    beforeAll(async () => {
      under = await make()
      kernel = await boot(under.entries, NOTES)
      database = kernel.scope.get(Database)
    })
    afterEach(async () => {
      await run('delete from contract_notes')
    })
    afterAll(async () => {
      await kernel?.close()
      await under?.remove()
    })

    describe('values', () => {
      test.each<[type: string, given: unknown, back: unknown]>([
        ['int', 42, 42],
        ['bigint', 9_007_199_254_740_991n, 9_007_199_254_740_991],
        ['bigint', '9223372036854775807', '9223372036854775807'],
        ['double precision', 0.1, 0.1],
        ['numeric', '12345678901234567890.5', '12345678901234567890.5'],
        ['boolean', true, true],
        ['text', 'ü"\\\'{},\n€😀', 'ü"\\\'{},\n€😀'],
        ['text', '', ''],
        ['text', null, null],
        ['text', undefined, null],
        ['jsonb', { a: [1, null, 'x'], b: { c: true } }, { a: [1, null, 'x'], b: { c: true } }],
        ['jsonb', JSON.stringify([1, 2]), [1, 2]],
        [
          'text[]',
          ['a', 'b,c', 'd"e\\f', '', 'NULL', null],
          ['a', 'b,c', 'd"e\\f', '', 'NULL', null],
        ],
        ['int[]', [], []],
        [
          'bigint[][]',
          [
            [1, 2],
            [3, 4],
          ],
          [
            [1, 2],
            [3, 4],
          ],
        ],
        ['jsonb[]', [{ a: 1 }, { b: 'x"y' }], [{ a: 1 }, { b: 'x"y' }]],
        ['bytea', new Uint8Array([0, 1, 254, 255]), new Uint8Array([0, 1, 254, 255])],
        ['timestamptz', new Date('2026-03-29T01:30:00.123Z'), new Date('2026-03-29T01:30:00.123Z')],
        ['timestamptz', 'infinity', 'infinity'],
        ['timestamptz', '290000-01-01 00:00:00+00', '290000-01-01 00:00:00+00'],
        ['timestamp', '2026-03-29 01:30:00.5', new Date('2026-03-29T01:30:00.500Z')],
        ['timestamp', '0044-03-15 12:00:00 BC', '0044-03-15 12:00:00 BC'],
        ['timestamp[]', ['2026-03-29 01:30:00', null], [new Date('2026-03-29T01:30:00Z'), null]],
        ['date', '2026-03-29', '2026-03-29'],
        ['uuid', '6e3c1b0e-4f7a-4c8e-9a53-0d9d0a3e2f11', '6e3c1b0e-4f7a-4c8e-9a53-0d9d0a3e2f11'],
      ])('%s comes back as it went (%#)', async (type, given, back) => {
        expect(await run(`select $1::${type} as value`, given)).toEqual([{ value: back }])
      })

      test('count(*) is a number', async () => {
        expect(await run('select count(*) as n from contract_notes')).toEqual([{ n: 0 }])
      })

      test('a statement without rows answers with none', async () => {
        expect(await run("insert into contract_notes values ('a', 1, 'x')")).toEqual([])
        expect(await run("update contract_notes set body = 'y' returning id, body")).toEqual([
          { id: 1, body: 'y' },
        ])
      })

      test('what is no value of a database is refused as data, and what Postgres refuses likewise', async () => {
        for (const bad of [() => 1, Symbol('x'), 'nul\0inside']) {
          const refused = await database.run({ sql: 'select $1::text', parameters: [bad] }, signal)
          expect(!refused.ok && refusedData(refused.error)).toBe(true)
        }
        expect(await run('select 1 as one')).toEqual([{ one: 1 }])
      })
    })

    describe('one statement', () => {
      test('says what the server says: SQLSTATE and constraint, and that the connection is whole', async () => {
        await run("insert into contract_notes values ('a', 1, 'x')")
        const failed = await database.run(
          { sql: "insert into contract_notes values ('a', 1, 'again')", parameters: [] },
          signal,
        )
        expect(failed).toMatchObject({
          ok: false,
          error: {
            code: 'STORE_FAILED',
            details: { sqlstate: '23505', constraint: 'contract_notes_pkey' },
          },
        })
        if (!failed.ok) expect(connectionBroke(failed.error)).toBe(false)
        expect(await run('select body from contract_notes')).toEqual([{ body: 'x' }])
      })

      test('what stands `before` it shares its round trip and its fate', async () => {
        const insert: Statement = {
          sql: 'insert into contract_notes values ($1, $2, $3)',
          parameters: ['a', 1, 'x'],
        }
        expect(
          valueOf(
            await database.run(
              { sql: 'select count(*) as n from contract_notes', parameters: [], before: [insert] },
              signal,
            ),
          ),
        ).toEqual([{ n: 1 }])
        const failed = await database.run(
          {
            sql: 'select 1 / 0',
            parameters: [],
            before: [{ ...insert, parameters: ['a', 2, 'x'] }],
          },
          signal,
        )
        expect(!failed.ok && sqlstateOf(failed.error)).toBe('22012')
        expect(await run('select count(*) as n from contract_notes')).toEqual([{ n: 1 }])
      })

      test('an aborted one that has not begun leaves nothing', async () => {
        const aborted = await database.run(
          { sql: "insert into contract_notes values ('a', 1, 'x')", parameters: [] },
          AbortSignal.abort(new Error('gone')),
        )
        expect(aborted).toMatchObject({
          ok: false,
          error: { code: 'STORE_FAILED', details: { aborted: true } },
        })
        expect(await run('select * from contract_notes')).toEqual([])
      })

      test('many at once are all answered, each with its own', async () => {
        const answers = await Promise.all(
          Array.from({ length: 300 }, (_, n) =>
            run(
              n % 2 === 0 ? 'select $1::int as n' : 'select $1::int as n, $1::int + 1 as next',
              n,
            ),
          ),
        )
        expect(answers.map((rows) => rows[0]?.['n'])).toEqual(
          Array.from({ length: 300 }, (_, n) => n),
        )
      })

      test('more different texts than a connection keeps prepared', async () => {
        for (let n = 0; n < 450; n++)
          expect(await run(`select ${n % 250} as n`)).toEqual([{ n: n % 250 }])
      })

      test('the same text sees a table that has changed meanwhile', async () => {
        await run('create table contract_notes_moving(a int primary key)')
        await run('insert into contract_notes_moving values (1)')
        const select = 'select * from contract_notes_moving'
        for (let n = 0; n < 12; n++) expect(await run(select)).toEqual([{ a: 1 }])
        await run("alter table contract_notes_moving add column b text default 'new'")
        for (let n = 0; n < 12; n++) expect(await run(select)).toEqual([{ a: 1, b: 'new' }])
        await run('drop table contract_notes_moving')
      })
    })

    describe('a transaction', () => {
      const insert = (id: number): Statement => ({
        sql: 'insert into contract_notes values ($1, $2, $3)',
        parameters: ['a', id, 'x'],
      })
      const ids = async (): Promise<readonly unknown[]> =>
        (await run('select id from contract_notes order by id')).map(({ id }) => id)

      test('commits what it did, and answers with what its work returned', async () => {
        const done = await database.transaction(async (tx) => {
          await tx(insert(1))
          await tx(insert(2))
          return (
            await tx({ sql: 'select count(*) as n from contract_notes', parameters: [] })
          )[0]?.['n']
        }, signal)
        expect(done).toEqual({ ok: true, value: 2 })
        expect(await ids()).toEqual([1, 2])
      })

      test('is rolled back when its work throws, and the failure carries the cause', async () => {
        const cause = new Error('changed my mind')
        const done = await database.transaction(async (tx) => {
          await tx(insert(1))
          throw cause
        }, signal)
        expect(done).toMatchObject({ ok: false, error: { code: 'STORE_FAILED', cause } })
        expect(await ids()).toEqual([])
      })

      test('is rolled back when its work returns an error value, which is handed on', async () => {
        const done = await database.transaction(async (tx): Promise<Result<void, string>> => {
          await tx(insert(1))
          return err('no')
        }, signal)
        expect(done).toEqual({ ok: true, value: { ok: false, error: 'no' } })
        expect(await ids()).toEqual([])
      })

      test('whose statement fails keeps its SQLSTATE', async () => {
        const done = await database.transaction(async (tx) => {
          await tx(insert(1))
          await tx(insert(1))
        }, signal)
        expect(done).toMatchObject({ ok: false, error: { details: { sqlstate: '23505' } } })
        expect(await ids()).toEqual([])
      })

      test('whose failed statement is swallowed is not told to be committed', async () => {
        const done = await database.transaction(async (tx) => {
          await tx(insert(1))
          await tx({ sql: 'select 1 / 0', parameters: [] }).catch(() => undefined)
          return 'fine'
        }, signal)
        expect(done).toMatchObject({
          ok: false,
          error: { code: 'STORE_FAILED', details: { rolledBack: true } },
        })
        expect(await ids()).toEqual([])
      })

      test('is rolled back when its signal aborts while it waits for something else', async () => {
        const controller = new AbortController()
        let late: unknown
        const done = await database.transaction(async (tx) => {
          await tx(insert(1))
          controller.abort(new Error('enough'))
          await sleep(30)
          late = await tx(insert(2)).catch((cause: unknown) => cause)
        }, controller.signal)
        expect(done).toMatchObject({ ok: false, error: { details: { aborted: true } } })
        expect(await ids()).toEqual([])
        await expect.poll(() => late).toBeInstanceOf(Error)
        expect(await ids()).toEqual([])
      })

      test('answers statements that are made at the same time, one after the other', async () => {
        const done = await database.transaction(
          (tx) => Promise.all([1, 2, 3].map((id) => tx(insert(id)))),
          signal,
        )
        expect(done.ok).toBe(true)
        expect(await ids()).toEqual([1, 2, 3])
      })

      test('of its own does not see another one that is open, and two that meet lose no update', async () => {
        await run(
          "insert into contract_notes_counters values ('a', 'hits', 0) on conflict do nothing",
        )
        const bump = (): Promise<Result<void, unknown>> =>
          database.transaction(async (tx) => {
            const [row] = await tx({
              sql: "select n from contract_notes_counters where tenant = 'a' and name = 'hits' for update",
              parameters: [],
            })
            await tx({
              sql: "update contract_notes_counters set n = $1 where tenant = 'a' and name = 'hits'",
              parameters: [Number(row?.['n']) + 1],
            })
          }, signal)
        const done = await Promise.all(Array.from({ length: 40 }, bump))
        expect(done.every(({ ok }) => ok)).toBe(true)
        expect(await run('select n from contract_notes_counters')).toEqual([{ n: 40 }])
      })

      test.each(['40001', '40P01'])(
        'that the database gives up for another one is repeated, and so is a single statement (SQLSTATE %s)',
        async (sqlstate) => {
          // A sequence counts what is rolled back, too.
          await run('create sequence contract_notes_attempts')
          await run(`create function contract_notes_conflict(until int) returns int language plpgsql as $$
          declare attempt int := nextval('contract_notes_attempts');
          begin
            if attempt < until then raise exception 'in the way' using errcode = '${sqlstate}'; end if;
            return attempt;
          end $$`)
          try {
            const conflict = (until: number): Statement => ({
              sql: 'select contract_notes_conflict($1) as attempt',
              parameters: [until],
            })
            const done = await database.transaction(async (tx) => {
              await tx(insert(1))
              return (await tx(conflict(3)))[0]?.['attempt']
            }, signal)
            expect(done).toEqual({ ok: true, value: 3 })
            expect(await ids()).toEqual([1])
            expect(await database.run(conflict(6), signal)).toEqual({
              ok: true,
              value: [{ attempt: 6 }],
            })
            // Also where the work looks away.
            const swallowed = await database.transaction(
              async (tx) => tx(conflict(9)).catch(() => 'gave up'),
              signal,
            )
            expect(swallowed).toEqual({ ok: true, value: [{ attempt: 9 }] })
            expect(await database.run(conflict(1_000), signal)).toMatchObject({
              ok: false,
              error: { details: { sqlstate } },
            })
          } finally {
            await run('drop function contract_notes_conflict')
            await run('drop sequence contract_notes_attempts')
          }
        },
      )

      test('that never runs a statement costs nothing and succeeds', async () => {
        expect(await database.transaction(async () => 'nothing', signal)).toEqual({
          ok: true,
          value: 'nothing',
        })
      })
    })

    describe('NOTIFY', () => {
      test('is heard by every listener of the channel, with its payload as it is', async () => {
        const heard: string[] = []
        const ends = [
          database.listen('Con"tract', (payload) => heard.push(`1 ${payload}`)),
          database.listen('Con"tract', (payload) => heard.push(`2 ${payload}`)),
        ]
        await expect
          .poll(async () => {
            await database.notify('Con"tract', 'it\'s "here"', signal)
            return heard
          })
          .toEqual(expect.arrayContaining(['1 it\'s "here"', '2 it\'s "here"']))
        ends[0]?.()
        heard.length = 0
        await expect
          .poll(async () => {
            await database.notify('Con"tract', 'again', signal)
            return heard
          })
          .toContain('2 again')
        expect(heard).not.toContain('1 again')
        ends[1]?.()
      })

      test('within a transaction is heard after its commit, and never of one that was rolled back', async () => {
        const heard: string[] = []
        const end = database.listen('contract_tx', (payload) => heard.push(payload))
        await expect
          .poll(async () => {
            await database.notify('contract_tx', 'ready', signal)
            return heard.length
          })
          .toBeGreaterThan(0)
        await database.transaction(async (tx) => {
          await tx({ sql: "select pg_notify('contract_tx', 'undone')", parameters: [] })
          throw new Error('no')
        }, signal)
        let during: readonly string[] = []
        await database.transaction(async (tx) => {
          await tx({ sql: "select pg_notify('contract_tx', 'done')", parameters: [] })
          await sleep(20)
          during = [...heard]
        }, signal)
        expect(during).not.toContain('done')
        await expect.poll(() => heard).toContain('done')
        expect(heard).not.toContain('undone')
        end()
      })

      test('survives a listener that throws', async () => {
        const heard: string[] = []
        const ends = [
          database.listen('contract_bad', () => {
            throw new Error('mine')
          }),
          database.listen('contract_bad', (payload) => heard.push(payload)),
        ]
        await expect
          .poll(async () => {
            await database.notify('contract_bad', 'x', signal)
            return heard.length
          })
          .toBeGreaterThan(0)
        for (const end of ends) end()
      })
    })

    describe('tenants', () => {
      const asTenant = (id: string): TenantDatabase => {
        const facts: SessionFacts = {
          tenant: tenantId(id),
          session: sessionId(`s-${id}`),
          principal: principalId('someone'),
        }
        return kernel.scope.child('session', [[SessionFacts, facts]]).get(TenantDatabase)
      }
      const rowsOf = async (
        id: string,
        sql: string,
        ...parameters: readonly unknown[]
      ): Promise<readonly Row[]> => valueOf(await asTenant(id).run({ sql, parameters }, signal))
      const write = (id: string, note: number): Promise<readonly Row[]> =>
        rowsOf(id, 'insert into contract_notes values ($1, $2, $3)', id, note, `of ${id}`)

      test('see their own rows, whatever the SQL says', async () => {
        await write('acme', 1)
        await write('bolt', 1)
        expect(await rowsOf('acme', 'select * from contract_notes')).toEqual([
          { tenant: 'acme', id: 1, body: 'of acme' },
        ])
        expect(
          await rowsOf('acme', "select * from contract_notes where tenant = 'bolt' or true"),
        ).toHaveLength(1)
        expect(await rowsOf('acme', 'select count(*) as n from contract_notes')).toEqual([{ n: 1 }])
        expect(await rowsOf('', 'select * from contract_notes')).toEqual([])
      })

      test('can neither write, change nor delete what belongs to another', async () => {
        await write('bolt', 1)
        const acme = asTenant('acme')
        for (const sql of [
          "insert into contract_notes values ('bolt', 2, 'planted')",
          "insert into contract_notes values ('bolt', 1, 'planted') on conflict (tenant, id) do update set body = excluded.body",
        ])
          expect(await acme.run({ sql, parameters: [] }, signal)).toMatchObject({
            ok: false,
            error: { details: { sqlstate: '42501' } },
          })
        expect(
          await rowsOf('acme', "update contract_notes set body = 'changed' returning id"),
        ).toEqual([])
        expect(await rowsOf('acme', 'delete from contract_notes returning id')).toEqual([])
        await write('acme', 7)
        expect(
          await acme.run(
            { sql: "update contract_notes set tenant = 'bolt'", parameters: [] },
            signal,
          ),
        ).toMatchObject({ ok: false, error: { details: { sqlstate: '42501' } } })
        expect(await run("select body from contract_notes where tenant = 'bolt'")).toEqual([
          { body: 'of bolt' },
        ])
      })

      test('cannot step out of their tenant, and reach no table that is not for tenants', async () => {
        const acme = asTenant('acme')
        for (const sql of [
          "select set_config('amodal.tenant', 'bolt', true)",
          'reset role',
          '  -- a comment\n set role postgres',
          '/* so */ commit',
          'rollback',
          "set local amodal.tenant = 'bolt'",
          'discard all',
          'do $$ begin end $$',
          "select U&\"set\\005fconfig\"('role', 'none', true)",
        ])
          expect(await acme.run({ sql, parameters: [] }, signal), sql).toMatchObject({
            ok: false,
            error: { code: 'STORE_FAILED' },
          })
        for (const sql of [
          'create table contract_notes_mine(a int)',
          'alter table contract_notes disable row level security',
          'truncate contract_notes',
          'lock table contract_notes',
          'explain select 1',
        ]) {
          expect(await acme.run({ sql, parameters: [] }, signal), sql).toMatchObject({
            ok: false,
            error: { code: 'STORE_FAILED' },
          })
        }
        for (const sql of [
          'select * from contract_notes_counters',
          '(select n from amodal_migrations)',
          'with t as (select 1) select * from contract_notes_counters, t',
          "update amodal_migrations set name = 'x'",
        ]) {
          expect(await acme.run({ sql, parameters: [] }, signal), sql).toMatchObject({
            ok: false,
            error: { details: { sqlstate: '42501' } },
          })
        }
      })

      test('keep to their rows inside a transaction', async () => {
        await write('bolt', 1)
        const seen = await asTenant('acme').transaction(async (tx) => {
          await tx({ sql: "insert into contract_notes values ('acme', 1, 'mine')", parameters: [] })
          return tx({ sql: 'select tenant from contract_notes', parameters: [] })
        }, signal)
        expect(seen).toEqual({ ok: true, value: [{ tenant: 'acme' }] })
        const out = await asTenant('acme').transaction(
          (tx) => tx({ sql: 'reset role', parameters: [] }),
          signal,
        )
        expect(out.ok).toBe(false)
      })

      test('do not leak into whatever uses the connection next, after success or failure', async () => {
        const mixed = await Promise.all(
          Array.from({ length: 120 }, async (_, n) => {
            if (n % 3 === 0)
              return database.run(
                { sql: "select current_user <> 'amodal_tenant' as fine", parameters: [] },
                signal,
              )
            const own = `t${n % 7}`
            if (n % 3 === 1)
              return asTenant(own).run({ sql: 'select 1 / 0', parameters: [] }, signal)
            return asTenant(own).run(
              {
                sql: "select current_user = 'amodal_tenant' and current_setting('amodal.tenant') = $1 as fine",
                parameters: [own],
              },
              signal,
            )
          }),
        )
        mixed.forEach((done, n) => {
          if (n % 3 === 1) expect(!done.ok && sqlstateOf(done.error)).toBe('22012')
          else expect(done).toEqual({ ok: true, value: [{ fine: true }] })
        })
      })
    })

    test('its catalogue follows the rules, and a table that does not is named', async () => {
      expect(await catalogueProblems(database, [NOTES], {}, signal)).toEqual({
        ok: true,
        value: [],
      })
      await run('create table contract_notes_bad(id int primary key, tenant text)')
      await run('create table stray(tenant text)')
      const found = valueOf(
        await catalogueProblems(
          database,
          [
            {
              ...NOTES,
              tenantTables: ['contract_notes', 'contract_notes_bad', 'contract_notes_gone'],
            },
          ],
          {},
          signal,
        ),
      )
      expect(found).toHaveLength(5)
      expect(found.join('\n')).toMatch(/contract_notes_bad_pkey.*begins with id/)
      expect(found.join('\n')).toMatch(/"contract_notes_bad" is not under row security/)
      expect(found.join('\n')).toMatch(/"contract_notes_gone" does not exist/)
      expect(found.join('\n')).toMatch(/"stray" carries no plugin's name/)
      await run('drop table contract_notes_bad')
      await run('drop table stray')
    })

    test('is ready, and says which sort it is', () => {
      expect(database.ready()).toEqual({ ready: true })
      expect(['pglite', 'postgres']).toContain(database.dialect)
    })
  })

  describe(`${name} migrates`, () => {
    let under: DatabaseUnderTest
    const signal = new AbortController().signal
    const [first, second] = NOTES.migrations
    if (!first || !second) throw new Error('the contract has two migrations')

    beforeAll(async () => {
      under = await make()
    })
    afterAll(async () => {
      await under?.remove()
    })

    /**
     * Boots with these lists and asks for the migrations recorded; the code of the failure where
     * there is one.
     */
    const migrated = async (...lists: readonly MigrationList[]): Promise<string> => {
      const made = await Kernel.create([...under.entries, ...lists.map(bringing)])
      if (!made.ok) return codeOf(made.error)
      const rows = await made.value.scope
        .get(Database)
        .run(
          { sql: 'select plugin, n from amodal_migrations order by at, plugin, n', parameters: [] },
          signal,
        )
      await made.value.close()
      return rows.ok
        ? rows.value.map(({ plugin, n }) => `${String(plugin)} ${String(n)}`).join(', ')
        : rows.error.code
    }

    test('in plan order, each once', async () => {
      const other: MigrationList = {
        plugin: 'contract-first',
        migrations: [{ name: 'one', sql: 'create table contract_first(tenant text primary key)' }],
        tenantTables: [],
      }
      expect(await migrated(other, { ...NOTES, migrations: [first] })).toBe(
        'contract-first 1, contract-notes 1',
      )
      expect(await migrated(other, { ...NOTES, migrations: [first] })).toBe(
        'contract-first 1, contract-notes 1',
      )
      expect(await migrated(other, NOTES)).toBe(
        'contract-first 1, contract-notes 1, contract-notes 2',
      )
    })

    test('and leaves the tables of a plugin that is gone', async () => {
      expect(await migrated(NOTES)).toBe('contract-first 1, contract-notes 1, contract-notes 2')
    })

    test('but not on a database of a newer release, nor with a migration that was edited', async () => {
      expect(await migrated({ ...NOTES, migrations: [first] })).toBe('MIGRATION_UNKNOWN')
      expect(
        await migrated({
          ...NOTES,
          migrations: [first, { ...second, sql: `${second.sql} -- edited` }],
        }),
      ).toBe('MIGRATION_CHANGED')
      expect(await migrated(NOTES)).toBe('contract-first 1, contract-notes 1, contract-notes 2')
    })

    test('and line endings of a checkout are no edit', async () => {
      const lines = (sql: string): MigrationList => ({
        plugin: 'contract-lines',
        migrations: [{ name: 'one', sql }],
        tenantTables: [],
      })
      const sql = 'create table contract_lines(\n  tenant text primary key\n)'
      expect(await migrated(lines(sql))).toContain('contract-lines 1')
      expect(await migrated(lines(sql.replaceAll('\n', '\r\n')))).toContain('contract-lines 1')
    })

    test('and definitions in place of a script, under the checksum that the script had', async () => {
      const table = (): { compile(): Statement } =>
        tables<object>()
          .schema.createTable('contract_defined')
          .addColumn('tenant', 'text', (column) => column.primaryKey())
      const defined = (...migrations: MigrationList['migrations']): MigrationList => ({
        plugin: 'contract-defined',
        migrations,
        tenantTables: ['contract_defined'],
      })
      const written = 'create table contract_defined(tenant text primary key)'
      const comment = "comment on table contract_defined is 'by hand'"
      const next = { name: 'two', define: () => [script(comment)] }
      expect(await migrated(defined({ name: 'one', sql: written }))).toContain('contract-defined 1')
      const same = { name: 'one', define: () => [table()], checksum: checksumOf(written) }
      expect(await migrated(defined(same))).toContain('contract-defined 1')
      expect(await migrated(defined(same, next))).toContain('contract-defined 2')
      expect(await migrated(defined(same, next))).toContain('contract-defined 2')
      expect(await migrated(defined({ name: 'one', define: () => [table()] }, next))).toBe(
        'MIGRATION_CHANGED',
      )
      const table2 = tables<object>().schema.createTable('contract_defined_2')
      const parameter = { name: 'three', define: () => [table2, { sql: '$1', parameters: [1] }] }
      expect(await migrated(defined(same, next, parameter))).toBe('STORE_FAILED')
      const edited = { name: 'two', define: () => [script(`${comment} -- edited`)] }
      expect(await migrated(defined(same, edited))).toBe('MIGRATION_CHANGED')
    })

    test('all of a migration or nothing of it', async () => {
      const broken: MigrationList = {
        plugin: 'contract-broken',
        tenantTables: [],
        migrations: [
          {
            name: 'half',
            sql: 'create table contract_broken(tenant text primary key); select 1 / 0; create table contract_broken_too(tenant text primary key)',
          },
        ],
      }
      expect(await migrated(broken)).toBe('STORE_FAILED')
      const whole: MigrationList = {
        ...broken,
        migrations: [
          { name: 'whole', sql: 'create table contract_broken(tenant text primary key)' },
        ],
      }
      expect(await migrated(whole)).toContain('contract-broken 1')
    })

    test('and puts a table that became a tenant table later under row security', async () => {
      const later: MigrationList = {
        ...NOTES,
        tenantTables: ['contract_notes', 'contract_notes_counters'],
      }
      const kernel = await boot(under.entries, later)
      const found = await catalogueProblems(
        kernel.scope.get(Database),
        [
          later,
          ...['contract-first', 'contract-lines', 'contract-defined', 'contract-broken'].map(
            (plugin): MigrationList => ({ plugin, migrations: [], tenantTables: [] }),
          ),
        ],
        {},
        signal,
      )
      await kernel.close()
      expect(found).toEqual({ ok: true, value: [] })
    })
  })
}

async function boot(
  entries: readonly Entry[],
  ...lists: readonly MigrationList[]
): Promise<Kernel> {
  const made = await Kernel.create([...entries, ...lists.map(bringing)])
  if (!made.ok)
    throw new Error(`the kernel did not start: ${codeOf(made.error)}`, { cause: made.error })
  return made.value
}

function codeOf(error: KernelError): string {
  return error.kind === 'plugin'
    ? error.error.code
    : error.problems.map(({ code }) => code).join(', ')
}

function valueOf<T>(result: Result<T, { readonly message: string }>): T {
  if (result.ok) return result.value
  throw new Error(result.error.message, { cause: result.error })
}
