import { createRequire } from 'node:module'
import { posix } from 'node:path'
import type * as Csv from 'csv-parse/sync'
import {
  type BundleFile,
  isObject,
  type Json,
  type JsonObject,
  messageOf,
  trySync,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Issues } from '@amodal/sdk/files'
import type { Part } from './part.ts'

/** One row of a dataset. Rows are counted from 1, without the header and empty lines. */
export interface Row {
  readonly number: number
  readonly line: number
  readonly fields: JsonObject
}

export interface Dataset {
  readonly file: string
  readonly rows: readonly Row[]
}

// Loaded by the first file of CSV.
const load = createRequire(import.meta.url)
const csv = (): typeof Csv => load('csv-parse/sync') as typeof Csv

/** The datasets that one file of `evals/` names, each read once. */
export class Datasets {
  readonly #folder: string
  readonly #files: ReadonlyMap<string, BundleFile>
  readonly #issues: Issues
  readonly #read = new Map<string, { readonly text: string; readonly dataset?: Dataset }>()

  constructor(file: string, files: ReadonlyMap<string, BundleFile>, issues: Issues) {
    this.#folder = posix.dirname(file)
    this.#files = files
    this.#issues = issues
  }

  /** What has been read, for a hash. */
  get texts(): readonly string[] {
    return [...this.#read.values()].map(({ text }) => text)
  }

  /** The dataset that a part names; `undefined` where it has told of a problem. */
  find(part: Part): Dataset | undefined {
    const path = this.#pathOf(part)
    if (path === undefined) return undefined
    const source = this.#files.get(path)
    if (!source) return part.error(`there is no text file ${path}`, 'correct the name, or add it')
    const read = this.#read.get(path)
    if (read) return read.dataset
    const rows = /\.csv$/i.test(path)
      ? rowsOfCsv(source, this.#issues)
      : rowsOfLines(source, this.#issues)
    if (rows?.length === 0) part.error(`${path} has no rows`, 'add one')
    const dataset = rows && rows.length > 0 ? { file: path, rows } : undefined
    this.#read.set(path, { text: source.text, ...(dataset && { dataset }) })
    return dataset
  }

  /** Its path in the agent's folder, below the folder of the file that names it. */
  #pathOf(part: Part): string | undefined {
    const name = part.text()?.trim()
    if (name === undefined) return undefined
    if (!/\.(?:jsonl|csv)$/i.test(name))
      return part.error(`"${name}" is no dataset`, 'name a file that ends in .jsonl or .csv')
    const path = posix.normalize(posix.join(this.#folder, name))
    if (name.includes('\\') || posix.isAbsolute(name) || !path.startsWith(`${this.#folder}/`))
      return part.error(`"${name}" is not below ${this.#folder}/`, 'move the dataset there')
    return path
  }
}

const plain = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')

/** An object of JSON on each line. */
function rowsOfLines({ path: file, text }: BundleFile, issues: Issues): readonly Row[] {
  const rows: Row[] = []
  let number = 0
  for (const [index, source] of plain(text).split('\n').entries()) {
    if (source.trim() === '') continue
    number++
    const line = index + 1
    const parsed = trySync(() => parseExact(source) as Json, messageOf) // it was JSON text
    if (parsed.ok && isObject(parsed.value)) rows.push({ number, line, fields: parsed.value })
    else
      issues.error(
        'BAD_REPO',
        parsed.ok ? 'this row is no object' : `this row is no JSON: ${parsed.error}`,
        { file, line, fix: 'write one object of JSON on each line' },
      )
  }
  return rows
}

/** Excel separates by `;` where a comma is in numbers. */
const DELIMITERS = [',', ';', '\t'] as const

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

function rowsOfCsv({ path: file, text }: BundleFile, issues: Issues): readonly Row[] | undefined {
  const source = plain(text)
  const [first = ''] = source.split('\n')
  const parsed = trySync(
    // With `info`, each record comes with the number of its last line.
    (): readonly CsvRecord[] =>
      csv().parse(source, {
        delimiter: DELIMITERS.find((one) => first.includes(one)) ?? ',',
        info: true,
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
      }) as unknown as readonly CsvRecord[],
    (cause) => ({
      message: messageOf(cause),
      line: isObject(cause as Json) && Number((cause as { lines?: unknown }).lines),
    }),
  )
  if (!parsed.ok) {
    const line = parsed.error.line === false ? 1 : parsed.error.line
    return void issues.error('BAD_REPO', `this is no CSV: ${parsed.error.message}`, {
      file,
      line,
      fix: 'close each quote, and write a quote within a quoted field twice',
    })
  }
  const [head, ...records] = parsed.value
  const names = (head?.record ?? []).map((cell) => cell.trim())
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    return void issues.error('BAD_REPO', `the column "${twice}" is there twice`, {
      file,
      line: 1,
      fix: 'rename one of them',
    })
  return records.map(({ record, info }, index) => {
    const line = info.lines - record.join('').split('\n').length + 1
    if (record.length > names.length)
      issues.warn('BAD_REPO', `this row has ${record.length} fields, and ${names.length} names`, {
        file,
        line,
        fix: 'put fields that have a comma in quotes',
      })
    const fields = record.slice(0, names.length).map((cell, at) => [names[at] ?? '', cell] as const)
    return { number: index + 1, line, fields: Object.fromEntries(fields) }
  })
}
