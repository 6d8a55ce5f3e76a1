import { failure, truncateLine, type RouteHandler } from '@amodal/sdk'
import { failed, problems } from '@amodal/plugin-http/tokens'
import { recordList, type RecordCell, type StudioView } from '@amodal/plugin-studio/tokens'
import { ListQuery } from './run-request.ts'
import type { RunService } from './run-service.ts'
import { isEnded, statusOf, type RunStatus, type RunView } from './run-status.ts'

export const STUDIO_VIEW: StudioView = {
  title: 'Runs',
  icon: 'runs',
  route: '/api/studio/agent-runs',
  scope: 'agents',
  refreshOn: ['session_created', 'session_updated', 'session_deleted'],
}

const TASK_CHARS = 200

const TONES: Readonly<Record<RunStatus, NonNullable<RecordCell['tone']>>> = {
  queued: 'warn',
  running: 'warn',
  awaiting_input: 'warn',
  complete: 'good',
  error: 'bad',
  canceled: 'bad',
}

/** The view of runs in the studio. */
export const studioRoute = (service: RunService): RouteHandler => ({
  async fetch(request, context) {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    if (request.method !== 'GET')
      return failed(failure('NOT_FOUND', 'there is nothing at this path'))
    const query = ListQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!query.success) return failed(failure('VALIDATION_ERROR', problems(query.error)))
    const page = await service.page(caller.value, query.data)
    if (!page.ok) return failed(page.error)
    const { views, next } = page.value
    const list = recordList({
      columns: ['Task', 'Profile', 'Status', 'Started by', 'Created', 'Ended'],
      records: views.map(recordOf),
      empty: 'No run was started yet: POST /api/platform/v1/agents/run starts one.',
      ...(next !== undefined && { older: { before: next } }),
    })
    return Response.json({ widgets: [list] })
  },
})

function recordOf(view: RunView) {
  const { row, session } = view
  const status = statusOf(view)
  const cells: readonly (string | RecordCell)[] = [
    { text: truncateLine(row.task, TASK_CHARS), ...(session && { session: row.session }) },
    row.profile,
    { text: status.replace('_', ' '), tone: TONES[status] },
    row.principal,
    { time: row.created_at.toISOString() },
    row.ended_at ? { time: row.ended_at.toISOString() } : '',
  ]
  if (isEnded(status)) return { cells }
  const path = `/api/platform/v1/agents/${encodeURIComponent(row.session)}/cancel`
  return { cells, actions: [{ label: 'Cancel', path, confirm: 'Cancel this run?' }] }
}
