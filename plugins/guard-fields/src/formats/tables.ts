import { isObject, isList, type Json, type JsonObject, trySync } from '@amodal/sdk'
import { isHeader } from './header.ts'
import { csv } from './libraries.ts'
import type { Place, ParsedText } from './parsed-text.ts'

const DELIMITERS = ['\t', ',', ';', '|'] as const

/** A table as data: its columns by name, its rows as lists. */
export const tableOf = (columns: readonly string[], rows: readonly (readonly Json[])[]): Json => ({
  columns,
  rows,
})
export const rowsOf = (table: Json): readonly (readonly Json[])[] => {
  const rows = isObject(table) ? table['rows'] : undefined
  return isList(rows) ? rows.filter(isList) : []
}
/** The same of a value that may be one. */
export function tableIn(
  value: JsonObject,
):
  { readonly columns: readonly string[]; readonly rows: readonly (readonly Json[])[] } | undefined {
  const { columns, rows, ...others } = value
  if (
    Object.keys(others).length > 0 ||
    !isList(columns) ||
    !isList(rows) ||
    !columns.every((name) => typeof name === 'string') ||
    !rows.every(isList)
  )
    return undefined
  return { columns, rows }
}

export function cellText(cell: Json): string {
  if (cell === null) return ''
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}

/** Values parted by commas, tabs, semicolons or bars, under a row that names them. */
export function readSeparated(text: string, { isRestricted }: Place): ParsedText | undefined {
  const first = text.slice(0, text.search(/[\r\n]/) + 1 || undefined)
  for (const delimiter of DELIMITERS) {
    if (!first.includes(delimiter) || !/[\r\n]/.test(text.trim())) continue
    const read = trySync(
      () =>
        csv().parse(text, {
          delimiter,
          bom: true,
          skip_empty_lines: true,
          max_record_size: 1_000_000,
        }),
      () => undefined,
    )
    if (!read.ok || read.value.length < 2) continue
    const [head = [], ...rows] = read.value
    const names = head.map((cell) => cell.trim())
    if (head.length < 2 || !isHeader(names, isRestricted)) continue
    const line = (cells: readonly string[]): string =>
      cells
        .map((cell) =>
          /["\r\n]/.test(cell) || cell.includes(delimiter)
            ? `"${cell.replaceAll('"', '""')}"`
            : cell,
        )
        .join(delimiter)
    return {
      value: tableOf(names, rows),
      render: (clean) =>
        [line(head), ...rowsOf(clean).map((row) => line(row.map(cellText)))].join('\n'),
    }
  }
  return undefined
}

const RULE = /^[\s|+:=-]+$/
/** What command lines write under a table. */
const REMARK = /^(?:\(?\d+ rows?(?: in set)?[^|]*\)?)$/i

/** A table drawn with bars: of Markdown, or of a command line. */
export function readDrawn(text: string, { isRestricted }: Place): ParsedText | undefined {
  const lines = text
    .replaceAll(/[│┃║]/g, '|')
    .replaceAll(/[─━═┼╋╬├┤┌┐└┘┬┴╔╗╚╝╠╣╦╩]/g, '-')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !REMARK.test(line.trim()))
  const rows = lines.filter((line) => !RULE.test(line))
  if (rows.length < 2 || rows.length === lines.length || !rows.every((line) => line.includes('|')))
    return undefined
  const cells = rows.map((line) =>
    line
      .trim()
      .replace(/^\|/, '')
      .replace(/\|$/, '')
      .replaceAll('\\|', '\u0000')
      .split('|')
      .map((cell) => cell.replaceAll('\u0000', '|').trim()),
  )
  const [head = [], ...body] = cells
  const names = head.map((cell) => cell.replaceAll(/^[*_`]+|[*_`]+$/g, ''))
  if (!isHeader(names, isRestricted) || !body.every((row) => row.length === head.length))
    return undefined
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return {
    value: tableOf(names, body),
    render: (clean) =>
      [
        line(head),
        line(head.map(() => '---')),
        ...rowsOf(clean).map((row) => line(row.map(cellText))),
      ].join('\n'),
  }
}
