import { runIn, sql, statement } from '@amodal/sdk/database'
import type { TableEnd, TableStart } from './format.ts'
import { UnusableBackup, type BackupRow } from './read-backup.ts'
import type { Run } from './run.ts'
import { columnsOf, type Column } from './table-reader.ts'

/** Rows of one statement, and characters unless one row alone has more. */
const MAX_ROWS = 1_000
const MAX_CHARACTERS = 1_000_000

/**
 * The database writes the statement that inserts arrays of texts, one for each column, since only
 * it knows how its types are spelled.
 */
const INSERT = statement(
  ({
    table,
    names,
    types,
  }: {
    table: string
    names: readonly string[]
    types: readonly string[]
  }) =>
    sql<{ text: string }>`
select format('insert into %I (%s) overriding system value select %s from unnest(%s) as v(%s)', ${table}::text,
  string_agg(quote_ident(name), ', ' order by n), string_agg(format('v.c%s::%s', n, type), ', ' order by n),
  string_agg(format('$%s::text[]', n), ', ' order by n), string_agg(format('c%s', n), ', ' order by n)) as text
from unnest(${names}::text[], ${types}::text[]) with ordinality as c(name, type, n)`,
)

const SET_SEQUENCE = statement(
  ({ sequence, last }: { sequence: string; last: string }) =>
    sql`select setval(${sequence}::text::regclass, ${last}::text::bigint, true)`,
)

/** Inserts rows of texts into a table; the database reads each as a value of its column. */
export class TableLoader {
  readonly #run: Run
  readonly #columns: readonly Column[]
  readonly #insert: string
  #rows: BackupRow[] = []
  #characters = 0

  private constructor(run: Run, insert: string, columns: readonly Column[]) {
    this.#run = run
    this.#columns = columns
    this.#insert = insert
  }

  /** @throws UnusableBackup where the table has other columns than the backup */
  static async open(run: Run, { table, columns }: TableStart): Promise<TableLoader> {
    const present = new Map((await columnsOf(run, table)).map((column) => [column.name, column]))
    const found = columns.flatMap((name) => present.get(name) ?? [])
    if (found.length !== columns.length || present.size !== columns.length)
      throw new UnusableBackup(table, 'has other columns in this release')
    const [insert] = await runIn(
      run,
      INSERT({
        table,
        names: found.map(({ name }) => name),
        types: found.map(({ type }) => type),
      }),
    )
    return new TableLoader(run, insert?.text ?? '', found)
  }

  async add(row: BackupRow, characters: number): Promise<void> {
    const isFull = this.#rows.length >= MAX_ROWS || this.#characters + characters > MAX_CHARACTERS
    if (isFull) await this.#flush()
    this.#rows.push(row)
    this.#characters += characters
  }

  /** The sequences are as new as their table, so that a rollback takes them back. */
  async finish({ sequences }: TableEnd): Promise<void> {
    await this.#flush()
    for (const { column, last } of sequences) {
      const sequence = this.#columns.find(({ name }) => name === column)?.sequence
      if (typeof sequence === 'string') await this.#run(SET_SEQUENCE({ sequence, last }))
    }
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return
    const rows = this.#rows
    this.#rows = []
    this.#characters = 0
    await this.#run({
      sql: this.#insert,
      parameters: this.#columns.map((_, at) => rows.map((row) => row[at] ?? null)),
    })
  }
}
