import {
  err,
  failure,
  ok,
  type Database,
  type Failure,
  type MigrationList,
  type Result,
} from '@amodal/sdk'
import {
  migrate,
  MIGRATION_LOCK,
  runIn,
  schemaWork,
  sql,
  statement,
  statementOf,
  versionsTable,
  type MigrationTarget,
} from '@amodal/sdk/database'
import { BackupRefused, DatabaseInUse, DatabaseNotEmpty } from '../errors.ts'
import type { Header } from './format.ts'
import { checkBackup, readBackup, UnusableBackup } from './read-backup.ts'
import { scripting, type Run } from './run.ts'
import { dropRuntime, runtimeTables } from './runtime-tables.ts'
import { TableLoader } from './table-loader.ts'

export interface RestoreOptions {
  readonly database: Database
  /** Of all plugins. */
  readonly lists: readonly MigrationList[]
  readonly file: string
  /** Deletes what the database holds. */
  readonly replace: boolean
  /** ms since this process began: connections that are older are those of others. */
  readonly ageMs: number
  /** Called when the rows of a table are in. */
  readonly loaded: (table: string, rows: number) => void
  readonly signal: AbortSignal
}

/**
 * Puts a backup in the place of what a database holds, in one transaction: schema as the backup has
 * it, rows, sequences. A later start applies newer migrations.
 *
 * Errors: `BACKUP_REFUSED`, `MIGRATION_UNKNOWN`, `MIGRATION_CHANGED`, `DATABASE_NOT_EMPTY`,
 * `DATABASE_IN_USE`, and what the database says.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Result<Header, Failure>> {
  const { database, file, lists, signal } = options
  const checked = await checkBackup(file, signal)
  if (!checked.ok) return checked
  const needed = listsOf(checked.value, lists)
  if (!needed.ok) return needed
  const done = await database.transaction(async (run): Promise<Result<Header, Failure>> => {
    for (const setting of SETTINGS) await runIn(run, setting)
    await run(MIGRATION_LOCK())
    const refused = await refusal(run, options)
    if (refused) return err(refused)
    await run(statementOf(versionsTable()))
    await dropRuntime(run, lists)
    const migrated = await migrate(within(run), needed.value, signal)
    return migrated.ok ? load(run, needed.value, options) : migrated
  }, signal)
  return done.ok ? done.value : done
}

/** Texts of a backup do not depend on settings of the server; rows are few at a time. */
const SETTINGS = [
  sql`select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'postgres', true),
    set_config('xmloption', 'content', true), set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true), set_config('lock_timeout', '10s', true)`,
]

/** The migrations of a backup among those of the plugins, as they were then. */
function listsOf(
  { migrations, tables }: Header,
  lists: readonly MigrationList[],
): Result<readonly MigrationList[], Failure> {
  const work = schemaWork(lists, { applied: migrations, secured: new Set(), role: true })
  if (!work.ok) return work
  const known = new Set(lists.map(({ plugin }) => plugin))
  const missing = tables.find(({ plugin, rows }) => rows > 0 && !known.has(plugin))
  if (missing)
    return err(
      failure(
        'MIGRATION_UNKNOWN',
        `the backup holds ${missing.rows} rows of ${missing.name}, and the plugin ${missing.plugin} is not among those of this agent: list it in amodal.json`,
        { details: { plugin: missing.plugin } },
      ),
    )
  return ok(
    lists.flatMap((list) => {
      const count = migrations.filter(({ plugin }) => plugin === list.plugin).length
      return count === 0 ? [] : [{ ...list, migrations: list.migrations.slice(0, count) }]
    }),
  )
}

/** The transaction that is open, for what migrates in transactions of its own. */
const within = (run: Run): MigrationTarget => ({
  run: async (statement) => ok(await run(statement)),
  transaction: async (work) => ok(await work(scripting(run))),
})

const SERVERS = statement(
  ({ ageMs }: { ageMs: number }) => sql<{ n: number }>`
select count(*)::int as n from pg_stat_activity
where datname = current_database() and application_name = 'amodal' and pid <> pg_backend_pid()
  and backend_start < clock_timestamp() - ${ageMs}::float8 * interval '1 ms'`,
)

/** Why the database must not be replaced. */
async function refusal(
  run: Run,
  { database, lists, replace, ageMs }: RestoreOptions,
): Promise<Failure | undefined> {
  if (!database.exclusive) {
    const [others] = await runIn(run, SERVERS({ ageMs }))
    if (others && others.n > 0)
      return DatabaseInUse(`servers hold ${others.n} connections to the database`)
  }
  if (replace) return undefined
  const filled: string[] = []
  for (const { name } of await runtimeTables(run, lists)) {
    const [row] = await runIn(
      run,
      sql<{ filled: boolean }>`select exists (select from ${sql.id(name)}) as filled`,
    )
    if (row?.filled === true) filled.push(name)
  }
  return filled.length === 0
    ? undefined
    : DatabaseNotEmpty(`the database holds data, in ${filled.slice(0, 5).join(', ')}`)
}

/** Reads the file once more, since it may have changed since it was checked. */
async function load(
  run: Run,
  lists: readonly MigrationList[],
  { file, loaded, signal }: RestoreOptions,
): Promise<Result<Header, Failure>> {
  const tables = new Set((await runtimeTables(run, lists)).map(({ name }) => name))
  let header: Header | undefined
  let loader: TableLoader | undefined
  try {
    for await (const part of readBackup(file, signal)) {
      switch (part.kind) {
        case 'header':
          header = part.header
          break
        case 'table':
          refuseUnknown(file, header, part.start.table, tables)
          loader = tables.has(part.start.table)
            ? await TableLoader.open(run, part.start)
            : undefined
          break
        case 'row':
          await loader?.add(part.row, part.characters)
          break
        case 'end':
          await loader?.finish(part.end)
          if (loader) loaded(part.end.end, part.end.rows)
          loader = undefined
          break
      }
    }
  } catch (cause) {
    if (cause instanceof UnusableBackup) return err(cause.failure)
    throw cause
  }
  return header ? ok(header) : err(BackupRefused(`the backup ${file} is empty`))
}

/** No row is left out without a word. */
function refuseUnknown(
  file: string,
  header: Header | undefined,
  table: string,
  created: ReadonlySet<string>,
): void {
  const rows = header?.tables.find(({ name }) => name === table)?.rows ?? 0
  if (rows > 0 && !created.has(table))
    throw new UnusableBackup(
      file,
      `holds ${rows} rows of ${table}, which its migrations do not create`,
    )
}
