import { createRequire } from 'node:module'
import type * as Csv from 'csv-parse/sync'
import { isList, isObject, type Json, type JsonObject, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** The data of a text, and how to write it after a change. */
export interface ParsedText {
  readonly value: Json
  readonly render: (clean: Json) => string
}

const DELIMITERS = ['\t', ',', ';'] as const
const MOST_RECORD = 1_000_000
// Most responses are JSON: the library is loaded by the first text that may be CSV.
const load = createRequire(import.meta.url)
const csv = (): typeof Csv => load('csv-parse/sync') as typeof Csv

/**
 * Parses JSON, JSON lines and CSV.
 *
 * @param isHeader whether the first row of CSV names its columns
 * @returns `undefined` for any other text
 */
export function parseText(
  text: string,
  isHeader: (row: readonly string[]) => boolean,
): ParsedText | undefined {
  const bare = text.replace(/^\uFEFF/, '').trim()
  return /^[[{"]/.test(bare)
    ? (jsonIn(bare) ?? linesIn(bare) ?? csvIn(bare, isHeader))
    : csvIn(bare, isHeader)
}

function jsonIn(text: string): ParsedText | undefined {
  const parsed = trySync(
    () => parseExact(text) as Json, // it was JSON text
    () => undefined,
  )
  return parsed.ok ? { value: parsed.value, render: (clean) => JSON.stringify(clean) } : undefined
}

/** A value of JSON on each line. */
function linesIn(text: string): ParsedText | undefined {
  const values: Json[] = []
  for (const line of text.split(/[\r\n\u001E]+/)) {
    if (line.trim() === '') continue
    const parsed = /^\s*[[{]/.test(line) ? jsonIn(line) : undefined
    if (!parsed) return undefined
    values.push(parsed.value)
  }
  const render = (clean: Json): string =>
    (isList(clean) ? clean : [clean]).map((one) => JSON.stringify(one)).join('\n')
  return { value: values, render }
}

function csvIn(
  text: string,
  isHeader: (row: readonly string[]) => boolean,
): ParsedText | undefined {
  const end = text.search(/[\r\n]/)
  const first = text.slice(0, Math.max(end, 0))
  for (const delimiter of DELIMITERS) {
    if (!first.includes(delimiter)) continue
    const parsed = trySync(
      () => csv().parse(text, { delimiter, skip_empty_lines: true, max_record_size: MOST_RECORD }),
      () => undefined,
    )
    if (!parsed.ok) continue
    const [head = [], ...rows] = parsed.value
    const columns = head.map((cell) => cell.trim())
    if (columns.length < 2 || rows.length === 0 || !isHeader(columns)) continue
    const line = (cells: readonly Json[]): string =>
      cells.map((cell) => quoted(cell, delimiter)).join(delimiter)
    const render = (clean: Json): string =>
      [head, ...((isObject(clean) && tableIn(clean)?.rows) || [])].map(line).join('\n')
    return { value: { columns, rows }, render }
  }
  return undefined
}

function quoted(cell: Json, delimiter: string): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The names of columns and the rows of an object that has nothing else. */
export function tableIn({ columns, rows, ...others }: JsonObject) {
  const isTable =
    Object.keys(others).length === 0 &&
    isList(columns) &&
    isList(rows) &&
    columns.every((name) => typeof name === 'string') &&
    rows.every(isList)
  return isTable ? { columns, rows } : undefined
}
