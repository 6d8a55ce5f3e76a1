import type { Json } from '@amodal/sdk'
import type { StoredDocument } from './server.ts'
import { valueAt, type StorePage } from './stores.ts'

export type ExportFormat = 'csv' | 'json'

/** Documents of one request. */
const PAGE = 1_000

export interface ExportOptions {
  readonly format: ExportFormat
  /** Columns of a table; JSON holds whole documents. */
  readonly columns: readonly string[]
  readonly load: (offset: number, limit: number, signal: AbortSignal) => Promise<StorePage>
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

/** Every document that the filter finds, as a file. */
export async function exportRows(options: ExportOptions): Promise<Blob> {
  const { format, columns, load, onProgress, signal } = options
  const parts: string[] = format === 'csv' ? [csvLine(['key', ...columns])] : ['[']
  let total = 1
  let done = 0
  while (done < total) {
    const page = await load(done, PAGE, signal)
    signal.throwIfAborted()
    parts.push(
      format === 'csv'
        ? page.documents.map((one) => csvRow(one, columns)).join('')
        : page.documents
            .map(({ payload }, at) => `${done + at === 0 ? '\n' : ',\n'}${JSON.stringify(payload)}`)
            .join(''),
    )
    total = page.total
    done += page.documents.length
    onProgress(done, total)
    if (page.documents.length === 0) break
  }
  if (format === 'json') parts.push('\n]\n')
  return new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/json' })
}

const csvRow = ({ key, payload }: StoredDocument, columns: readonly string[]): string =>
  csvLine([key, ...columns.map((column) => valueAt(payload, column) ?? null)])

const csvLine = (cells: readonly Json[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A text that a spreadsheet would run as a formula is preceded by an apostrophe. */
export function csvCell(value: Json): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
