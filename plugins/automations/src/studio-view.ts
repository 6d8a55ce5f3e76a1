import {
  failure,
  ok,
  truncateLine,
  type Caller,
  type Failure,
  type Result,
  type RouteHandler,
  type TenantId,
} from '@amodal/sdk'
import { describeRoutes, failed, problems } from '@amodal/plugin-http/tokens'
import {
  recordList,
  type RecordAction,
  type RecordCell,
  type RecordList,
  type WidgetView,
  widgetViewDoc,
} from '@amodal/plugin-studio/tokens'
import { z } from 'zod'
import { startOf } from './definition.ts'
import type { DeliveryRow, Run, RunStatus } from './run.ts'
import { shownTarget, type Rights } from './routes.ts'
import type { AutomationService, Shown } from './service.ts'

export const STUDIO_VIEW: WidgetView = {
  title: 'Automations',
  icon: 'automations',
  route: '/api/studio/automations',
  scope: 'automations',
  refreshOn: [
    'automation_started',
    'automation_stopped',
    'automation_triggered',
    'automation_completed',
    'automation_failed',
    'delivery_succeeded',
    'delivery_failed',
  ],
}

/** Runs that are shown first, and with those that are older. */
const RUNS = 50
const MOST_RUNS = 500
/** Dead deliveries that are shown. */
const DEAD = 100
const RESULT_CHARS = 200

const Query = z.object({
  automation: z.string().max(64).optional(),
  runs: z.coerce.number().int().min(1).max(MOST_RUNS).default(RUNS),
})

type Widgets = Result<readonly ReturnType<typeof recordList>[], Failure>

/** The view of automations in the studio, and that of the history of one of them. */
export function studioRoute(
  service: AutomationService,
  rightsOf: (caller: Caller) => Rights,
): RouteHandler {
  return describeRoutes(
    {
      async fetch(request, context) {
        const caller = context.caller()
        if (!caller.ok) return failed(caller.error)
        const { view, manage } = rightsOf(caller.value)
        if (request.method !== 'GET' || !view)
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        const query = Query.safeParse(Object.fromEntries(new URL(request.url).searchParams))
        if (!query.success) return failed(failure('VALIDATION_ERROR', problems(query.error)))
        const { automation, runs } = query.data
        const { tenant } = caller.value
        const widgets =
          automation === undefined
            ? await overview(service, tenant, manage)
            : await historyOf(service, tenant, { automation, runs, manage })
        return widgets.ok ? Response.json({ widgets: widgets.value }) : failed(widgets.error)
      },
    },
    {
      'GET /api/studio/automations': widgetViewDoc(
        'automations and their history, as the studio shows them',
        Query,
      ),
    },
  )
}

async function overview(
  service: AutomationService,
  tenant: TenantId,
  manage: boolean,
): Promise<Widgets> {
  const all = await service.list(tenant)
  if (!all.ok) return all
  const dead = await service.deliveries(tenant, { status: 'dead', limit: DEAD })
  if (!dead.ok) return dead
  return ok([
    recordList({
      columns: ['Automation', 'Starts', 'State', 'Next due', 'Last run'],
      records: all.value.map((shown) => ({
        cells: [
          { text: shown.automation.title, open: { automation: shown.automation.name } },
          startOf(shown.automation),
          stateCell(shown),
          shown.next === undefined ? '' : { time: isoOf(shown.next) },
          shown.last ? runCell(shown.last) : '',
        ],
        actions: manage ? actionsOf(shown) : [],
      })),
      empty: 'There are no automations: each is a file in automations/.',
    }),
    ...(dead.value.length === 0 ? [] : [deliveryList('Dead deliveries', dead.value, manage)]),
  ])
}

async function historyOf(
  service: AutomationService,
  tenant: TenantId,
  asked: { readonly automation: string; readonly runs: number; readonly manage: boolean },
): Promise<Widgets> {
  const { automation: name, runs: limit, manage } = asked
  const [all, runs, deliveries] = await Promise.all([
    service.list(tenant),
    service.history(tenant, name, limit),
    service.deliveries(tenant, { automation: name, limit: MOST_RUNS }),
  ])
  if (!all.ok) return all
  if (!runs.ok) return runs
  if (!deliveries.ok) return deliveries
  const shown = all.value.find(({ automation }) => automation.name === name)
  const isMore = runs.value.length === limit && limit < MOST_RUNS
  return ok([
    recordList({
      title: shown?.automation.title ?? name,
      columns: ['Due', 'Started by', 'Status', 'Took', 'Result', 'Deliveries', 'Session'],
      records: runs.value.map((run) => ({
        cells: [
          { time: isoOf(run.due) },
          run.source,
          { text: run.status, tone: TONES[run.status] },
          tookOf(run),
          resultOf(run),
          deliveriesCell(deliveries.value.filter((one) => one.run === run.id)),
          run.session === undefined ? '' : { text: 'open', session: run.session },
        ],
      })),
      empty: 'It has not run yet.',
      actions: shown && manage ? actionsOf(shown) : [],
      ...(isMore && { older: { automation: name, runs: String(MOST_RUNS) } }),
    }),
    deliveryList('Deliveries', deliveries.value.slice(0, DEAD), manage, name),
  ])
}

const pathOf = (name: string, what: string): string =>
  `/automations/${encodeURIComponent(name)}/${what}`

function actionsOf({ automation: { name }, paused }: Shown): readonly RecordAction[] {
  return [
    { label: 'Run now', path: `${pathOf(name, 'run')}?wait=0` },
    paused
      ? { label: 'Resume', path: pathOf(name, 'start') }
      : { label: 'Pause', path: pathOf(name, 'stop') },
  ]
}

/** @param name of the automation, where all of them are its own */
function deliveryList(
  title: string,
  rows: readonly DeliveryRow[],
  manage: boolean,
  name?: string,
): ReturnType<typeof recordList> {
  const isDead = rows.some(({ status }) => status === 'dead')
  const all: readonly RecordAction[] =
    name === undefined
      ? []
      : [
          {
            label: 'Send all dead ones again',
            path: pathOf(name, 'redrive'),
            body: { ids: 'all' },
            confirm: 'Send every dead delivery of this automation again?',
          },
        ]
  const list: RecordList = {
    title,
    columns: ['Created', 'Automation', 'Target', 'Status', 'Attempts', 'Last error'],
    records: rows.map((row) => ({
      cells: [
        { time: isoOf(row.createdAt) },
        { text: row.automation, open: { automation: row.automation } },
        targetOf(row),
        { text: row.status, tone: DELIVERY_TONES[row.status] },
        String(row.attempts),
        row.status === 'delivered' ? '' : (row.error ?? ''),
      ],
      actions:
        manage && row.status === 'dead'
          ? [
              {
                label: 'Send again',
                path: pathOf(row.automation, 'redrive'),
                body: { ids: [row.id] },
              },
            ]
          : [],
    })),
    empty: 'Nothing was sent.',
    actions: manage && isDead ? all : [],
  }
  return recordList(list)
}

const TONES: Readonly<Record<RunStatus, NonNullable<RecordCell['tone']>>> = {
  queued: 'warn',
  held: 'warn',
  running: 'warn',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  skipped: 'warn',
}
const DELIVERY_TONES = { pending: 'warn', delivered: 'good', dead: 'bad' } as const

const stateCell = ({ paused }: Shown): RecordCell =>
  paused ? { text: 'paused', tone: 'warn' } : { text: 'active', tone: 'good' }

const runCell = ({ status, session, startedAt, createdAt }: Run): RecordCell => ({
  text: status,
  time: isoOf(startedAt ?? createdAt),
  tone: TONES[status],
  ...(session !== undefined && { session }),
})

const tookOf = ({ startedAt, endedAt }: Run): string =>
  startedAt === undefined || endedAt === undefined
    ? ''
    : `${Math.round((endedAt - startedAt) / 1_000)} s`

function resultOf({ error, result = '', refused }: Run): RecordCell {
  const tools = [...new Set(refused.map(({ tool }) => tool))].join(', ')
  const note = tools === '' ? '' : ` (refused: ${tools})`
  return error === undefined
    ? { text: truncateLine(result, RESULT_CHARS) + note }
    : { text: truncateLine(error, RESULT_CHARS) + note, tone: 'bad' }
}

function deliveriesCell(rows: readonly DeliveryRow[]): RecordCell {
  const counts = (['delivered', 'pending', 'dead'] as const).flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length
    return count === 0 ? [] : [{ status, count }]
  })
  const worst = counts.at(-1)
  return {
    text: counts.map(({ status, count }) => `${count} ${status}`).join(', '),
    ...(worst && { tone: DELIVERY_TONES[worst.status] }),
  }
}

function targetOf(row: DeliveryRow): string {
  const target = shownTarget(row.target)
  return target.type === 'webhook' ? target.url : `callback ${target.name ?? ''}`.trim()
}

const isoOf = (at: number): string => new Date(at).toISOString()
