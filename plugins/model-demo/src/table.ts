import { ellipsis } from '@amodal/sdk/data'
import { isList, isRecord } from './json.ts'

export type Row = Readonly<Record<string, unknown>>

const MAX_ROWS = 25
const MAX_COLUMNS = 8
const MAX_CELL = 80

/** Where a record keeps what it is about, beside facts of its own. */
const INNER = ['payload', 'document', 'attributes', 'fields']

export interface Rows {
  readonly rows: readonly Row[]
  /** How many there are in all, where the result says so. */ readonly total: number | undefined
}

/** The list of records in a result, wherever it stands; `undefined` where it is no list. */
export function rowsOf(value: unknown): Rows | undefined {
  const list = listIn(value)
  if (list === undefined) return undefined
  const total = isRecord(value)
    ? [value.total, value.total_count, value.count].find((one) => typeof one === 'number')
    : undefined
  return { rows: list.map(flatten), total }
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (isList(value)) return value
  if (!isRecord(value)) return undefined
  const lists = Object.values(value).filter(isList)
  const [first] = lists
  const scalars = Object.keys(value).length - lists.length
  // A record that has a list among many fields is a record.
  return lists.length === 1 && first !== undefined && scalars <= 5 && first.every(isRecord)
    ? first
    : undefined
}

/**
 * A record that wraps another one is shown as the inner one, with its key: under a name that the
 * inner one does not have.
 */
export function flatten(value: unknown): Row {
  if (!isRecord(value)) return { value }
  const inner = INNER.map((name) => value[name]).find(isRecord)
  if (inner === undefined) return value
  const key = value.key ?? value.id
  if (key === undefined || Object.values(inner).includes(key)) return inner
  return { [Object.hasOwn(inner, 'key') ? 'key of the document' : 'key']: key, ...inner }
}

/** Rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const columns = columnsOf(rows).slice(0, MAX_COLUMNS)
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const shown = rows
    .slice(0, MAX_ROWS)
    .map((row) => line(columns.map((column) => cellOf(row[column]))))
  const rest = rows.length > MAX_ROWS ? [``, `… and ${rows.length - MAX_ROWS} more.`] : []
  return [line(columns), line(columns.map(() => '---')), ...shown, ...rest].join('\n')
}

/** The fields of all rows in the order they come, without a key that another field repeats. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (!names.includes('key')) return names
  const repeated = names.some(
    (name) => name !== 'key' && rows.every((row) => row[name] === row.key),
  )
  return names.filter((name) => !(name === 'key' && repeated))
}

/** A record as a list of its fields. */
export function fieldsOf(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `- **${name}**: ${cellOf(value)}`)
    .join('\n')
}

export function cellOf(value: unknown): string {
  const text = plain(value).replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
  return text.length > MAX_CELL ? ellipsis(text, MAX_CELL - 1) : text
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isList(value)) return value.map(plain).join(', ')
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${plain(one)}`)
      .join('; ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
