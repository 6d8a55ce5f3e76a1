import { type FieldRestriction, isList, isObject, type Json } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import type { Found } from './fields.ts'
import { isHeader } from './formats/index.ts'
import type { Header } from './headers.ts'
import { isNameLike } from './names.ts'

/** What is known of the cells of a table: which columns and which rows are restricted. */
export interface Plan {
  readonly columns: ReadonlyMap<number, FieldRestriction>
  readonly rows: ReadonlyMap<number, FieldRestriction>
  /** The first row, or the first cell of each, holds names. */
  readonly head: boolean
}

/** Stems of fields that hold rows, and no columns. */
const ROWS: ReadonlySet<string> = new Set(['row', 'rowset', 'record', 'tuple', 'line', 'entry'])
const COORDINATE = 180
const isScalar = (value: Json): boolean => typeof value === 'string' || isNumber(value)

/** The cells of a row: a list, or an object that is no more than one. */
export function cellsOf(row: Json): readonly Json[] | undefined {
  if (isList(row)) return row
  if (!isObject(row)) return undefined
  const [only, ...others] = Object.values(row)
  return others.length === 0 && isList(only) && only.length > 1 ? only : undefined
}

/** A cell, or what stands in one: `{ v: 1 }`. */
function scalarIn(cell: Json): Json {
  if (!isObject(cell)) return cell
  const names = Object.keys(cell)
  return names.length <= 2 && names.every((name) => IN_CELLS.test(name))
    ? (Object.values(cell).find(isScalar) ?? null)
    : cell
}
const IN_CELLS =
  /^(?:v|f|t|w|value|val|text|data|raw|formatted|display|content|type|(?:\w+)?value)$/i

/** Rows of lists, where a list is that; `undefined` where it is another one. */
export function rowsIn(list: readonly Json[]): readonly (readonly Json[])[] | undefined {
  const first = list.find((row) => row !== null)
  if (first === undefined || !cellsOf(first)) return undefined
  const rows = list.map((row) => cellsOf(row) ?? (row === null ? [] : [row]))
  return rows.some((row) => row.some((cell) => isScalar(scalarIn(cell)))) ? rows : undefined
}

/**
 * What the columns and rows of a table hold.
 *
 * @param headers lists of the answer that may name columns
 * @param field stem of the field that the table stands in
 * @returns `undefined` where nothing says it
 */
export function planOf(
  rows: readonly (readonly Json[])[],
  headers: readonly Header[],
  field: string,
  named: (name: string) => Found | undefined,
): Plan | undefined {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const isRestricted = (name: string): boolean => named(name) !== undefined
  const columns = new Map<number, FieldRestriction>()
  const byRow = new Map<number, FieldRestriction>()
  const [first = [], ...others] = rows
  const own = isHeader(first, isRestricted) && (others.length > 0 || first.some(isRestricted))
  let sure = own
  const take = (
    names: readonly (readonly string[])[],
    into: Map<number, FieldRestriction>,
  ): void => {
    names.forEach((spellings, at) => {
      const found = spellings.map(named).find((one) => one !== undefined)
      if (found) into.set(at, found.restriction)
    })
  }
  if (own)
    take(
      first.map((cell) => [cell]),
      columns,
    )
  for (const { names, sure: isSure } of headers) {
    if (names.length === width) take(names, columns)
    // Columns may stand as rows; where both would do, both are taken.
    const turned = names.length === rows.length && !(names.length === width && ROWS.has(field))
    if (turned) take(names, byRow)
    if (isSure && (names.length === width || turned)) sure = true
  }
  rows.forEach((row, at) => {
    if (own && at === 0) return
    const said = row
      .map(scalarIn)
      .find(
        (cell): cell is string =>
          typeof cell === 'string' && isNameLike(cell) && named(cell) !== undefined,
      )
    const found = said === undefined ? undefined : named(said)
    if (found) byRow.set(at, found.restriction)
  })
  const terms = rows.map((row) => row[0] ?? null)
  const isPairs = rows.length > 1 && width > 1 && isHeader(terms, isRestricted)
  return sure || isPairs || arePlaces(rows) ? { columns, rows: byRow, head: own } : undefined
}

/** Places on a map, and nothing that could be the number of anybody. */
function arePlaces(rows: readonly (readonly Json[])[]): boolean {
  const cells = rows.flat()
  return (
    cells.every((cell) => typeof cell === 'number' && Math.abs(cell) <= COORDINATE) &&
    cells.some((cell) => !Number.isInteger(cell)) &&
    rows.every((row) => row.length <= 3)
  )
}
