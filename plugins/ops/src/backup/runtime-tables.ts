import type { MigrationList } from '@amodal/sdk'
import { runIn, scriptOf, sql, statement } from '@amodal/sdk/database'
import type { Run } from './run.ts'

/** What migrations create under a name. */
interface Created {
  readonly plugin: string
  readonly tables: readonly string[]
  readonly functions: readonly string[]
}

/** A table of a plugin that is in the database. */
export interface RuntimeTable {
  readonly plugin: string
  readonly name: string
}

/** Names as the rules of `MigrationList` want them: small letters, digits and `_`. */
const CREATE =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+)?(table|function)\s+(?:if\s+not\s+exists\s+)?"?([a-z_][a-z0-9_]*)"?/gi

/**
 * Read from the text of the migrations, since a name alone does not say whose a table is: a schema
 * may also hold tables of other programs.
 */
function createdBy({ plugin, migrations }: MigrationList): Created {
  const names = { table: new Set<string>(), function: new Set<string>() }
  for (const migration of migrations)
    for (const [, kind = '', name = ''] of scriptOf(migration).matchAll(CREATE))
      names[kind.toLowerCase() === 'table' ? 'table' : 'function'].add(name)
  return { plugin, tables: [...names.table], functions: [...names.function] }
}

const EXISTING = statement(
  ({ names }: { names: readonly string[] }) => sql<{ name: string }>`
select c.relname::text as name from pg_class c join pg_namespace s on s.oid = c.relnamespace
where c.relkind in ('r', 'p') and s.nspname = current_schema() and c.relname = any(${names}::text[])`,
)

/** The database itself writes their types. */
const dropFunctions = (names: readonly string[]) => sql`
do $$ declare found regprocedure; begin
  for found in select p.oid from pg_proc p join pg_namespace s on s.oid = p.pronamespace
    where s.nspname = current_schema() and p.proname in (${sql.join(names.map((name) => sql.lit(name)))})
  loop
    execute format('drop function %s cascade', found);
  end loop;
end $$`

/** The tables that the plugins have in this database, in the order in which they are created. */
export async function runtimeTables(
  run: Run,
  lists: readonly MigrationList[],
): Promise<readonly RuntimeTable[]> {
  const created = lists.map(createdBy)
  const names = created.flatMap(({ tables }) => tables)
  const existing = new Set((await runIn(run, EXISTING({ names }))).map(({ name }) => name))
  return created.flatMap(({ plugin, tables }) =>
    tables.filter((name) => existing.has(name)).map((name) => ({ plugin, name })),
  )
}

/** Removes everything that migrations have created, with the record of them. */
export async function dropRuntime(run: Run, lists: readonly MigrationList[]): Promise<void> {
  for (const { name } of await runtimeTables(run, lists))
    await runIn(run, sql`drop table if exists ${sql.id(name)} cascade`)
  const names = lists.map(createdBy).flatMap(({ functions }) => functions)
  if (names.length > 0) await runIn(run, dropFunctions(names))
  const plugins = lists.map(({ plugin }) => plugin)
  await runIn(run, sql`delete from amodal_migrations where plugin = any(${plugins}::text[])`)
}
