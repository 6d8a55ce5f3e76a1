import { err, ok, type Failure, type Result } from '@amodal/kernel'
import type { Database, MigrationList, Row } from '../ports/database.ts'

const TABLES = `
select c.relname as name, c.relrowsecurity as secured,
  exists (select from pg_policies p where p.schemaname = current_schema() and p.tablename = c.relname and p.policyname = 'amodal_tenant') as policy,
  exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) as keyed
from pg_class c join pg_namespace s on s.oid = c.relnamespace
where c.relkind in ('r', 'p') and s.nspname = current_schema() order by 1`

const INDEXES = `
select t.relname as table, c.relname as name, pg_get_indexdef(i.indexrelid, 1, true) as first
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid join pg_namespace s on s.oid = t.relnamespace
where s.nspname = current_schema() order by 1, 2`

const OWN_TABLE = 'amodal_migrations'

/**
 * Checks a migrated database against the rules of {@link MigrationList}: every table carries its
 * plugin's name, has a key, and leads its key and every index with `tenant`; every tenant table is
 * under row security.
 *
 * @param allowed names of tables or indexes that may break the leading-`tenant` rule, each with the
 *   reason
 * @returns a sentence for each violation
 * @example
 * expect(
 *   await catalogueProblems(
 *     database,
 *     lists,
 *     { sessions_leases: 'taken over across tenants' },
 *     signal,
 *   ),
 * ).toEqual({ ok: true, value: [] })
 */
export async function catalogueProblems(
  database: Pick<Database, 'run'>,
  lists: readonly MigrationList[],
  allowed: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Result<readonly string[], Failure>> {
  const tables = await database.run({ sql: TABLES, parameters: [] }, signal)
  if (!tables.ok) return err(tables.error)
  const indexes = await database.run({ sql: INDEXES, parameters: [] }, signal)
  if (!indexes.ok) return err(indexes.error)
  const tenantTables = new Set(lists.flatMap((list) => list.tenantTables))
  const named = new Set(tables.value.map(({ name }) => String(name)))
  return ok([
    ...tables.value.flatMap((table) => tableProblems(table, lists, tenantTables)),
    ...indexes.value.flatMap((index) => indexProblems(index, allowed)),
    ...[...tenantTables]
      .filter((table) => !named.has(table))
      .map((table) => `the tenant table "${table}" does not exist`),
  ])
}

function tableProblems(
  row: Row,
  lists: readonly MigrationList[],
  tenantTables: ReadonlySet<string>,
): readonly string[] {
  const table = String(row['name'])
  if (table === OWN_TABLE) return []
  const found: string[] = []
  const prefixes = lists.map(({ plugin }) => plugin.replaceAll('-', '_'))
  if (!prefixes.some((prefix) => table === prefix || table.startsWith(`${prefix}_`)))
    found.push(`the table "${table}" carries no plugin's name`)
  if (row['keyed'] !== true) found.push(`the table "${table}" has no primary key`)
  if (tenantTables.has(table) && (row['secured'] !== true || row['policy'] !== true))
    found.push(`the tenant table "${table}" is not under row security`)
  return found
}

function indexProblems(row: Row, allowed: Readonly<Record<string, string>>): readonly string[] {
  const [table, index, first] = [String(row['table']), String(row['name']), String(row['first'])]
  if (table === OWN_TABLE || first === 'tenant' || table in allowed || index in allowed) return []
  return [`the index "${index}" of "${table}" begins with ${first}, not with tenant`]
}
