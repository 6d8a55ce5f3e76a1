import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { fileFailure } from '@amodal/sdk/files'
import { DatabaseError, readSchemaState, schemaWork, sql, runIn } from '@amodal/sdk/database'
import type { Database, MigrationList } from '@amodal/sdk'
import { FORMAT, type Header } from './format.ts'
import type { Run } from './run.ts'
import { runtimeTables } from './runtime-tables.ts'
import { columnsOf, countRows, readRows, readSequences } from './table-reader.ts'

export interface BackupOptions {
  readonly database: Database
  /** Of all plugins. */
  readonly lists: readonly MigrationList[]
  /** The file, which must not exist. */
  readonly file: string
  /** The version of the runtime. */
  readonly runtime: string
  readonly signal: AbortSignal
}

/** What is in a backup, and what of the database is not. */
export interface Backup {
  readonly header: Header
  /** Plugins that have migrations in the database and are not in use. */
  readonly skipped: readonly string[]
}

/**
 * Copies all rows of the runtime, as one snapshot has them, into a file. Others may write
 * meanwhile. The file has its name once it is complete and on the disk.
 */
export async function writeBackup(options: BackupOptions): Promise<Result<Backup, Failure>> {
  const { database, file, signal } = options
  const draft = `${file}.partial`
  try {
    const done = await database.transaction(async (run): Promise<Result<Backup, Failure>> => {
      await rm(draft, { force: true })
      for (const setting of SNAPSHOT) await runIn(run, setting)
      const begun = await begin(run, options)
      if (!begun.ok) return begun
      const written = await writeLines(linesOf(run, begun.value.header), draft, signal)
      return written.ok ? begun : written
    }, signal)
    if (!done.ok || !done.value.ok) return done.ok ? done.value : done
    await sync(draft)
    await rename(draft, file)
    return done.value
  } catch (cause) {
    return err(fileFailure(`the backup ${file}`, file, cause))
  } finally {
    await rm(draft, { force: true })
  }
}

/** What the database says is thrown, as by every statement of a transaction. */
async function writeLines(
  lines: AsyncIterable<string>,
  file: string,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  try {
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
    await pipeline(lines, createGzip(), target, { signal })
    return ok(undefined)
  } catch (cause) {
    if (cause instanceof DatabaseError || signal.aborted) throw cause
    return err(fileFailure(`the backup ${file}`, file, cause))
  }
}

/**
 * One snapshot for all tables, and texts that do not depend on settings of the server. Both cursors
 * of a table have to read it in the same order.
 */
const SNAPSHOT = [
  sql`set transaction isolation level repeatable read, read only`,
  sql`select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'postgres', true),
    set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true), set_config('xmloption', 'content', true),
    set_config('synchronize_seqscans', 'off', true), set_config('enable_indexscan', 'off', true),
    set_config('enable_indexonlyscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
]

async function begin(
  run: Run,
  { database, lists, runtime }: BackupOptions,
): Promise<Result<Backup, Failure>> {
  const known = await runIn(
    run,
    sql<{ present: boolean }>`select to_regclass('amodal_migrations') is not null as present`,
  )
  if (known[0]?.present !== true)
    return err(
      failure('NOT_FOUND', 'the database holds nothing of this agent: no server has used it'),
    )
  const state = await readSchemaState({ run: async (statement) => ok(await run(statement)) }, NEVER)
  if (!state.ok) return state
  const work = schemaWork(lists, state.value)
  if (!work.ok) return work
  const used = new Set(lists.map(({ plugin }) => plugin))
  const { applied } = state.value
  const tables: Header['tables'] = []
  for (const table of await runtimeTables(run, lists))
    tables.push({ ...table, rows: await countRows(run, table.name) })
  return ok({
    header: {
      amodal: 'backup',
      format: FORMAT,
      runtime,
      createdAt: new Date().toISOString(),
      dialect: database.dialect,
      migrations: applied
        .filter(({ plugin }) => used.has(plugin))
        .toSorted((a, b) => a.plugin.localeCompare(b.plugin, 'en') || a.n - b.n),
      tables,
    },
    skipped: [...new Set(applied.map(({ plugin }) => plugin))].filter((name) => !used.has(name)),
  })
}

/** The transaction has the signal already. */
const NEVER = new AbortController().signal

async function* linesOf(run: Run, header: Header): AsyncGenerator<string> {
  const all = createHash('sha256')
  const line = (value: unknown, ...hashes: readonly Hash[]): string => {
    const text = `${JSON.stringify(value)}\n`
    for (const hash of [all, ...hashes]) hash.update(text)
    return text
  }
  yield line(header)
  for (const [n, { name }] of header.tables.entries()) {
    const columns = await columnsOf(run, name)
    yield line({ table: name, columns: columns.map((column) => column.name) })
    const rows = createHash('sha256')
    let count = 0
    for await (const group of readRows(run, name, columns, n)) {
      count += group.length
      yield group.map((row) => line(row, rows)).join('')
    }
    const sequences = await readSequences(run, columns)
    yield line({ end: name, rows: count, sha256: rows.digest('hex'), sequences })
  }
  yield `${JSON.stringify({ checksum: all.digest('hex') })}\n`
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
