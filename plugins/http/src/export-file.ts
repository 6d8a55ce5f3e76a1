import { isList, type Failure, type Json, type JsonObject, type Result } from '@amodal/sdk'
import { fileHeaders } from './file-headers.ts'

export type ExportFormat = 'csv' | 'jsonl'

/** A page of what is exported, and how the one after it is read. */
export interface ExportPage<T> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly next: (() => Promise<Result<ExportPage<T>, Failure>>) | undefined
}

export interface ExportOptions<T> {
  /** Of the file, without its ending. */
  readonly name: string
  readonly format: ExportFormat
  /** The fields that a table has, in their order. */
  readonly columns: readonly string[]
  /** One line of JSON. */
  readonly view: (item: T) => JsonObject
  /** What the cells of a table have in place of fields of the line. */
  readonly cells?: (item: T) => JsonObject
}

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

/**
 * All pages as one file, each read once the one before was sent.
 *
 * @param first was read before, so that what is wrong with the request has a status of its own
 * @returns a response that aborts if a page cannot be read, so that it does not look complete
 * @example
 * const options = { name: 'usage', format: 'csv', columns: ['run_id'], view } as const
 * const response = exportFile({ items: runs, next: undefined }, options)
 */
export function exportFile<T>(first: ExportPage<T>, options: ExportOptions<T>): Response {
  const { columns, format, name } = options
  const encoder = new TextEncoder()
  let page: ExportPage<T> | undefined = first
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === 'csv') controller.enqueue(encoder.encode(csvLine(columns)))
    },
    async pull(controller) {
      if (!page) return controller.close()
      controller.enqueue(encoder.encode(page.items.map((item) => lineOf(item, options)).join('')))
      const more: Result<ExportPage<T>, Failure> | undefined = await page.next?.()
      page = more?.ok ? more.value : undefined
      if (more?.ok === false) controller.error(new Error(more.error.message))
    },
  })
  return new Response(body, { headers: fileHeaders(`${name}.${format}`, TYPES[format]) })
}

function lineOf<T>(item: T, { cells, columns, format, view }: ExportOptions<T>): string {
  if (format === 'jsonl') return `${JSON.stringify(view(item))}\n`
  const fields = { ...view(item), ...cells?.(item) }
  return csvLine(columns.map((column) => textOf(fields[column])))
}

function textOf(value: Json | undefined): string {
  if (isList(value)) return value.map(textOf).join('; ')
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`

/** Escapes text that a spreadsheet would execute as a formula. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
