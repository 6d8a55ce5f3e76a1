import { ok, type Failure, type Result } from '@amodal/sdk'
import { exportFile, type ExportFormat, type ExportPage } from '@amodal/plugin-http/tokens'
import type { RunPosition } from './report.ts'
import type { RunUsage } from './run-usage.ts'
import { runView, type RunView } from './view.ts'

/** Runs that are read at once. */
const EXPORT_PAGE = 500

/** Reads runs behind a position. */
type Read = (range: {
  readonly limit: number
  readonly after?: RunPosition
}) => Promise<Result<readonly RunUsage[], Failure>>

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

/** All runs as one file, or why the first of them cannot be read. */
export async function exported(
  format: ExportFormat,
  read: Read,
): Promise<Result<Response, Failure>> {
  const first = await pageBehind(undefined, read)
  if (!first.ok) return first
  return ok(
    exportFile(first.value, {
      name: 'usage',
      format,
      columns: COLUMNS,
      view: runView,
      cells: ({ models, tools }) => ({
        models: models.map(({ name }) => name),
        tools: tools.map(({ name }) => name),
      }),
    }),
  )
}

async function pageBehind(
  after: RunPosition | undefined,
  read: Read,
): Promise<Result<ExportPage<RunUsage>, Failure>> {
  const page = await read({ limit: EXPORT_PAGE, ...(after && { after }) })
  if (!page.ok) return page
  const last = page.value.at(-1)
  const next =
    last && page.value.length === EXPORT_PAGE
      ? () => pageBehind({ endedAt: last.endedAt, run: last.run }, read)
      : undefined
  return ok({ items: page.value, next })
}
