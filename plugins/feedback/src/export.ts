import type { Failure, Result } from '@amodal/sdk'
import { fileHeaders } from '@amodal/plugin-http/tokens'
import { entryView } from './entry-view.ts'
import type { FeedbackEntry, Place } from './entry.ts'
import type { FeedbackPage } from './feedback-service.ts'

export type ExportFormat = 'jsonl' | 'csv'

type Pages = (after: Place | undefined) => Promise<Result<FeedbackPage, Failure>>

const TYPES: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

const COLUMNS = [
  'id',
  'at',
  'rating',
  'categories',
  'comment',
  'tags',
  'principal',
  'session_id',
  'message_id',
  'run_id',
  'answered_at',
  'question',
  'answer',
  'model',
  'provider',
  'input_tokens',
  'output_tokens',
  'cost',
] as const satisfies readonly (keyof ReturnType<typeof entryView>)[]

/**
 * All pages as one file, each asked for when the one before was read.
 *
 * @param first was read before, so that what is wrong with the request has a status of its own
 */
export function exported(format: ExportFormat, first: FeedbackPage, pages: Pages): Response {
  const encoder = new TextEncoder()
  const linesOf = ({ entries }: FeedbackPage): Uint8Array =>
    encoder.encode(entries.map(format === 'csv' ? csvLine : jsonLine).join(''))
  let page: FeedbackPage | undefined = first
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === 'csv') controller.enqueue(encoder.encode(`${COLUMNS.join(',')}\r\n`))
    },
    async pull(controller) {
      if (!page) return controller.close()
      controller.enqueue(linesOf(page))
      const { next } = page
      page = undefined
      if (!next) return
      const more = await pages(next)
      // A file that ends early must not look whole.
      if (more.ok) page = more.value
      else controller.error(new Error(more.error.message))
    },
  })
  return new Response(body, { headers: fileHeaders(`feedback.${format}`, TYPES[format]) })
}

const jsonLine = (entry: FeedbackEntry): string => `${JSON.stringify(entryView(entry))}\n`

function csvLine(entry: FeedbackEntry): string {
  const view = entryView(entry)
  const cells = COLUMNS.map((name) => {
    const value = view[name]
    return cellOf(Array.isArray(value) ? value.join('; ') : String(value ?? ''))
  })
  return `${cells.join(',')}\r\n`
}

/** What a spreadsheet would take for a formula is text, whoever wrote it. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
