import type { Failure, Result } from '@amodal/sdk'
import { fileHeaders } from '@amodal/plugin-http/tokens'
import type { RunPosition } from './report.ts'
import type { RunUsage } from './run-usage.ts'
import { runView, type RunView } from './view.ts'

/** Runs that are read at once. */
export const EXPORT_PAGE = 500

type Format = 'csv' | 'jsonl'
type Pages = (after: RunPosition | undefined) => Promise<Result<readonly RunUsage[], Failure>>

const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

const COLUMNS = [
  'ended_at',
  'started_at',
  'run_id',
  'session_id',
  'principal',
  'agent',
  'automation',
  'profile',
  'reason',
  'error',
  'ms',
  'waited_ms',
  'model_ms',
  'calls',
  'call_errors',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
  'unpriced_calls',
  'models',
  'tools',
] as const satisfies readonly (keyof RunView)[]

/**
 * All runs as one file, a page at a time.
 *
 * @param first was read before, so that what is wrong with the request has a status of its own
 */
export function exported(format: Format, first: readonly RunUsage[], pages: Pages): Response {
  const encoder = new TextEncoder()
  let page: readonly RunUsage[] | undefined = first
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === 'csv') controller.enqueue(encoder.encode(`${COLUMNS.join(',')}\r\n`))
    },
    async pull(controller) {
      if (!page) return controller.close()
      const lines = page.map((run) => (format === 'csv' ? csvLine(run) : jsonLine(run)))
      controller.enqueue(encoder.encode(lines.join('')))
      const last = page.at(-1)
      const hasMore = page.length === EXPORT_PAGE
      page = undefined
      if (!hasMore || !last) return
      const more = await pages({ endedAt: last.endedAt, run: last.run })
      // A file that ends early must not look complete.
      if (more.ok) page = more.value
      else controller.error(new Error(more.error.message))
    },
  })
  return new Response(body, { headers: fileHeaders(`usage.${format}`, TYPES[format]) })
}

const jsonLine = (run: RunUsage): string => `${JSON.stringify(runView(run))}\n`

function csvLine(run: RunUsage): string {
  const view = runView(run)
  const names = {
    models: run.models.map(({ name }) => name).join('; '),
    tools: run.tools.map(({ name }) => name).join('; '),
  }
  const flat = { ...view, ...names }
  const cells = COLUMNS.map((column) => cellOf(String(flat[column] ?? '')))
  return `${cells.join(',')}\r\n`
}

/** What a spreadsheet would take for a formula is text. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
