import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Kernel } from '@amodal/kernel'
import { catalogueProblems, checksumOf, script, tables } from '../../database/index.ts'
import { Database, type MigrationList, type Statement } from '../../ports/index.ts'
import { boot, bringing, codeOf, NOTES, type DatabaseUnderTest } from './subject.ts'

/** Migrations, on a database of their own. */
export function migrationTests(name: string, make: () => Promise<DatabaseUnderTest>): void {
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
      const created = await Kernel.create([...under.entries, ...lists.map(bringing)])
      if (!created.ok) return codeOf(created.error)
      const rows = await created.value.scope
        .get(Database)
        .run(
          { sql: 'select plugin, n from amodal_migrations order by at, plugin, n', parameters: [] },
          signal,
        )
      await created.value.close()
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
      const complete: MigrationList = {
        ...broken,
        migrations: [
          { name: 'whole', sql: 'create table contract_broken(tenant text primary key)' },
        ],
      }
      expect(await migrated(complete)).toContain('contract-broken 1')
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
