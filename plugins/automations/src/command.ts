import type { Command, CommandContext } from '@amodal/sdk'
import { askRoutes, errorLine } from '@amodal/plugin-http/tokens'
import { table } from './table.ts'
import { Automations } from './tokens.ts'

const ACTIONS = [
  'list',
  'pause',
  'resume',
  'trigger',
  'history',
  'preview',
  'backfill',
  'deliveries',
  'redrive',
] as const
type Action = (typeof ACTIONS)[number]

type Row = Readonly<Record<string, unknown>>

/** `amodal ops automations list|pause|resume|trigger|history|preview|backfill|…`. */
export const automationsCommand: Command = {
  summary: 'List, pause, resume and trigger automations, and look at their runs',
  usage: `amodal ops automations ${ACTIONS.join('|')} [NAME] [--url URL] [--json]`,
  about: [
    'Works on the agent folder, or with --url on a running server. With an embedded database a running server has the folder to itself: give its address.',
    'A run that is triggered is waited for.',
  ],
  examples: [
    ['amodal ops automations list', 'show them, with their next run'],
    ['amodal ops automations trigger digest', 'run one now'],
    ['amodal ops automations preview digest', 'show the next five due times'],
    [
      'amodal ops automations backfill digest --from 2026-05-01T00:00:00Z --to 2026-05-08T00:00:00Z',
      'make runs of due times that have none',
    ],
    ['amodal ops automations redrive digest', 'send dead deliveries again'],
  ],
  options: {
    url: { type: 'string', description: 'A running server, such as http://127.0.0.1:3847' },
    scope: { type: 'string', description: 'Whose automations, where there are several tenants' },
    limit: { type: 'string', description: 'Rows that are shown' },
    from: { type: 'string', description: 'ISO time from which due times are made up for' },
    to: { type: 'string', description: 'ISO time up to which due times are made up for' },
    status: { type: 'string', description: 'Deliveries that are pending, delivered or dead' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const [action, name = ''] = context.arguments
    const known = ACTIONS.find((one) => one === action)
    if (!known || (known !== 'list' && name === '')) {
      context.fail(
        known
          ? `say which one: amodal ops automations ${known} NAME`
          : `there is no "${action ?? ''}"; there are: ${ACTIONS.join(', ')}`,
      )
      return 2
    }
    const ask = await askRoutes(context, (kernel) => kernel.scope.get(Automations).routes)
    const response = await ask(...requestOf(known, encodeURIComponent(name), context))
    const text = await response.text()
    if (!response.ok) {
      context.fail(errorLine(text))
      return 1
    }
    if (context.options['json'] === true) context.print(text)
    else for (const line of linesOf(known, name, JSON.parse(text) as Row)) context.print(line)
    return known === 'trigger' && (JSON.parse(text) as Row)['status'] === 'failed' ? 1 : 0
  },
}

function requestOf(
  action: Action,
  name: string,
  { options }: CommandContext,
): readonly [method: 'GET' | 'POST', path: string, body?: object] {
  const text = (option: string): string | undefined => {
    const value = options[option]
    return typeof value === 'string' ? value : undefined
  }
  const query = new URLSearchParams()
  for (const option of ['limit', 'status']) {
    const value = text(option)
    if (value !== undefined) query.set(option, value)
  }
  const asked = query.size === 0 ? '' : `?${query.toString()}`
  switch (action) {
    case 'list':
      return ['GET', '/automations']
    case 'pause':
      return ['POST', `/automations/${name}/stop`, {}]
    case 'resume':
      return ['POST', `/automations/${name}/start`, {}]
    case 'trigger':
      return ['POST', `/automations/${name}/run`, {}]
    case 'history':
      return ['GET', `/automations/${name}/runs${asked}`]
    case 'preview':
      return ['GET', `/automations/${name}/preview${asked}`]
    case 'backfill':
      return ['POST', `/automations/${name}/backfill`, { from: text('from'), to: text('to') }]
    case 'deliveries':
      return ['GET', `/automations/${name}/deliveries${asked}`]
    case 'redrive':
      return ['POST', `/automations/${name}/redrive`, { ids: 'all' }]
  }
}

const rowsIn = (value: unknown): readonly Row[] =>
  Array.isArray(value) ? (value as readonly Row[]) : [] // answers of our own routes
const shown = (value: unknown): string => (typeof value === 'string' ? value : '—')
const minutes = (value: unknown): string =>
  typeof value === 'string' ? `${value.slice(0, 16).replace('T', ' ')} UTC` : '—'

function linesOf(action: Action, name: string, answer: Row): readonly string[] {
  switch (action) {
    case 'list':
      return table(
        ['Name', 'Trigger', 'Schedule', 'Status', 'Next Run', 'Webhook URL'],
        rowsIn(answer['automations']).map((one) => [
          shown(one['name']),
          shown(one['trigger']),
          shown(one['schedule']),
          one['running'] === true ? 'active' : 'paused',
          one['webhookTriggered'] === true ? '(on event)' : minutes(one['nextRun']),
          shown(one['webhookUrl']),
        ]),
      )
    case 'pause':
      return [`Paused "${name}": it will not run until it is resumed`]
    case 'resume':
      return [`Resumed "${name}"`]
    case 'trigger':
      return [
        `${shown(answer['run_id'])} ${shown(answer['status'])}, session ${shown(answer['session_id'])}`,
        ...(typeof answer['error'] === 'string' ? [answer['error']] : []),
        ...(typeof answer['result'] === 'string' ? [answer['result']] : []),
        ...rowsIn(answer['refused']).map(
          ({ tool, reason }) => `refused: ${shown(tool)}: ${shown(reason)}`,
        ),
      ]
    case 'history':
    case 'backfill':
      return runLines(rowsIn(answer['runs']))
    case 'preview':
      return (Array.isArray(answer['next']) ? answer['next'] : []).map(minutes)
    case 'deliveries':
      return table(
        ['Delivery', 'Run', 'Status', 'Attempts', 'Error'],
        rowsIn(answer['deliveries']).map((one) => [
          shown(one['id']),
          shown(one['run_id']),
          shown(one['status']),
          String(one['attempts']),
          shown(one['error']),
        ]),
      )
    case 'redrive':
      return [`${String(answer['redriven'])} deliveries are sent again`]
  }
}

function runLines(runs: readonly Row[]): readonly string[] {
  return table(
    ['Run ID', 'Started', 'Duration', 'Status', 'Session'],
    runs.map((run) => {
      const [from, to] = [Date.parse(shown(run['started_at'])), Date.parse(shown(run['ended_at']))]
      return [
        shown(run['run_id']),
        minutes(run['started_at']),
        Number.isNaN(to - from) ? '—' : `${Math.round((to - from) / 1_000)}s`,
        shown(run['status']),
        shown(run['session_id']),
      ]
    }),
  )
}
