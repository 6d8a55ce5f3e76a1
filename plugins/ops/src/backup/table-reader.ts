import { runIn, sql, statement } from '@amodal/sdk/database'
import type { Sequence } from './format.ts'
import type { Run } from './run.ts'

/** Characters of rows that are in memory at a time, unless one row alone has more. */
const MAX_CHARACTERS = 2_000_000
/** Rows whose sizes are read ahead. */
const MAX_ROWS = 2_000

export interface Column {
  readonly name: string
  readonly type: string
  /** The sequence that gives it its values. */
  readonly sequence: string | null
}

/** Generated columns are left out: the database computes them. */
const COLUMNS = statement(
  ({ table }: { table: string }) => sql<Column>`
select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
  pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace s on s.oid = c.relnamespace
where c.relname = ${table} and s.nspname = current_schema()
  and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`,
)

export const columnsOf = (run: Run, table: string): Promise<readonly Column[]> =>
  runIn(run, COLUMNS({ table }))

export async function countRows(run: Run, table: string): Promise<number> {
  const [row] = await runIn(run, sql<{ n: number }>`select count(*) as n from ${sql.id(table)}`)
  return Number(row?.n ?? 0)
}

/**
 * The rows of a table, in groups that are bounded by their size: a cursor over the sizes of rows
 * runs ahead of the one over their values. Both read the table in the order of its pages.
 *
 * @param n distinguishes the cursors of several tables
 */
export async function* readRows(
  run: Run,
  table: string,
  columns: readonly Column[],
  n: number,
): AsyncGenerator<readonly (readonly (string | null)[])[]> {
  const [sizes, rows] = [`amodal_sizes_${n}`, `amodal_rows_${n}`]
  const texts = columns.map(({ name }) => sql`${sql.id(name)}::text`)
  const bytes = texts.map((text) => sql`coalesce(octet_length(${text}), 0)::bigint`)
  await runIn(
    run,
    sql`declare ${sql.id(sizes)} no scroll cursor for select ${sql.join(bytes, sql` + `)} as bytes from ${sql.id(table)}`,
  )
  await runIn(
    run,
    sql`declare ${sql.id(rows)} no scroll cursor for select array[${sql.join(texts)}] as texts from ${sql.id(table)}`,
  )
  for (;;) {
    const ahead = await fetchRows<{ bytes: number }>(run, sizes, MAX_ROWS)
    if (ahead.length === 0) break
    for (const count of groupsOf(ahead.map((row) => Number(row.bytes)))) {
      const group = await fetchRows<{ texts: (string | null)[] }>(run, rows, count)
      yield group.map(({ texts: values }) => values)
    }
  }
  for (const cursor of [sizes, rows]) await runIn(run, sql`close ${sql.id(cursor)}`)
}

const fetchRows = <R>(run: Run, cursor: string, count: number): Promise<readonly R[]> =>
  runIn(run, sql<R>`fetch ${sql.lit(count)} from ${sql.id(cursor)}`) as Promise<readonly R[]>

/** How many rows to read at a time. */
export function* groupsOf(sizes: readonly number[]): Generator<number> {
  let [count, characters] = [0, 0]
  for (const size of sizes) {
    if (count > 0 && characters + size > MAX_CHARACTERS) {
      yield count
      ;[count, characters] = [0, 0]
    }
    count++
    characters += size
  }
  if (count > 0) yield count
}

const LAST_VALUE = statement(
  ({ sequence }: { sequence: string }) =>
    sql<{
      last: string | null
    }>`select pg_sequence_last_value(${sequence}::text::regclass)::text as last`,
)

/** Where the sequences of a table's columns go on. Read after its rows, which use earlier values. */
export async function readSequences(
  run: Run,
  columns: readonly Column[],
): Promise<readonly Sequence[]> {
  const sequences: Sequence[] = []
  for (const { name: column, sequence } of columns) {
    if (sequence === null) continue
    const [row] = await runIn(run, LAST_VALUE({ sequence }))
    if (row && row.last !== null) sequences.push({ column, last: row.last })
  }
  return sequences
}
