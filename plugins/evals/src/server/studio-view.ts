import { failure, type Agent, type Caller, type RouteHandler } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { describeRoutes, failed, problems } from '@amodal/plugin-http/tokens'
import {
  recordList,
  type RecordAction,
  type RecordCell,
  type WidgetView,
  widgetViewDoc,
} from '@amodal/plugin-studio/tokens'
import { z } from 'zod'
import { suitesOf } from '../definition.ts'
import { compareRuns, type CaseComparison, type CaseSide } from '../report/compare-runs.ts'
import { summaryOf } from '../report/summary.ts'
import { dollars } from '../report/table.ts'
import type { EvalRun, RunStatus, TrialResult } from '../results/result.ts'
import { PREFIX, storeFailed } from './routes.ts'
import { replayLists, replayShown } from './replay-view.ts'
import type { ReplayService } from './replay-service.ts'
import type { FoundRun, RunService } from './run-service.ts'

export const STUDIO_VIEW: WidgetView = {
  title: 'Evals',
  icon: 'evals',
  route: '/api/studio/evals',
  scope: 'evals',
}

type List = ReturnType<typeof recordList>

/** Runs that are shown, and characters of arguments and results. */
const RUNS = 30
const CHARS = 600

const Query = z.object({
  run: z.string().max(200).optional(),
  with: z.string().max(200).optional(),
  replay: z.string().max(20).optional(),
  trial: z.coerce.number().int().min(0).optional(),
})

/** The view of evals in the studio: suites and runs, one run, one trial, two runs side by side. */
export const studioRoute = (
  service: RunService,
  agent: Agent,
  replays: ReplayService,
): RouteHandler =>
  describeRoutes(
    {
      async fetch(request, context) {
        const caller = context.caller()
        if (!caller.ok) return failed(caller.error)
        if (request.method !== 'GET')
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        const query = Query.safeParse(Object.fromEntries(new URL(request.url).searchParams))
        if (!query.success) return failed(failure('VALIDATION_ERROR', problems(query.error)))
        try {
          const { replay } = query.data
          if (replay !== undefined) return replayShown(replays, caller.value, replay)
          return await shown({ service, agent, replays }, caller.value, query.data)
        } catch (cause) {
          return storeFailed(cause)
        }
      },
    },
    {
      'GET /api/studio/evals': widgetViewDoc(
        'evals and their runs, as the studio shows them',
        Query,
      ),
    },
  )

interface ShownParts {
  readonly service: RunService
  readonly agent: Agent
  readonly replays: ReplayService
}

async function shown(
  { agent, replays, service }: ShownParts,
  caller: Caller,
  { run: id, trial, with: other }: z.output<typeof Query>,
): Promise<Response> {
  const runs = await service.list(caller, RUNS)
  if (id === undefined) {
    const widgets = [
      suiteList(agent),
      runList(runs),
      ...(await replayLists(replays, agent, caller)),
    ]
    return Response.json({ widgets })
  }
  const found = await service.find(caller, id)
  if (!found.ok) return failed(found.error)
  const { run } = found.value
  if (other !== undefined) {
    const before = await service.find(caller, other)
    return before.ok
      ? Response.json({ widgets: [comparisonList(before.value.run, run)] })
      : failed(before.error)
  }
  const result = trial === undefined ? undefined : run.results.find(({ index }) => index === trial)
  return Response.json({
    widgets: result ? trialLists(result) : [caseList(found.value), otherRuns(run, runs)],
  })
}

function suiteList(agent: Agent): List {
  const bundle = agent.bundle()
  return recordList({
    title: 'Suites',
    columns: ['Suite', 'File', 'Cases'],
    records: (bundle ? suitesOf(bundle) : []).map(({ cases, file, name, title }) => ({
      cells: [title === '' ? name : title, file, String(cases.length)],
      actions: [{ label: 'Run', path: `${PREFIX}/run`, body: { suites: [name] } }],
    })),
    empty: 'There are no evals: each is a file in evals/.',
    actions: [{ label: 'Run all', path: `${PREFIX}/run` }],
  })
}

const TONES: Readonly<Record<RunStatus, NonNullable<RecordCell['tone']>>> = {
  open: 'warn',
  done: 'good',
  budget: 'warn',
  cancelled: 'warn',
  failed: 'bad',
}

const runList = (runs: readonly FoundRun[]): List =>
  recordList({
    title: 'Runs',
    columns: ['Started', 'Status', 'Passed', 'Cost', 'Models', 'Commit'],
    records: runs.map((found) => ({ cells: runCells(found), actions: runActions(found) })),
    empty: 'Nothing was run yet.',
  })

function runCells({ run, source }: FoundRun): readonly (string | RecordCell)[] {
  return [
    { time: run.startedAt, open: { run: run.id } },
    {
      text: source === 'files' ? `${run.status} (command line)` : run.status,
      tone: TONES[run.status],
    },
    passedCell(run),
    costOf(run),
    run.variants.map(({ name }) => name).join(', '),
    run.commit?.slice(0, 8) ?? '',
  ]
}

function passedCell(run: EvalRun): RecordCell {
  const passed = run.results.filter(({ status }) => status === 'passed').length
  const done = run.results.length
  const share = done === 0 ? '' : ` (${Math.round((passed / done) * 100)} %)`
  const isGood = done > 0 && passed === done
  return {
    text: `${passed} of ${run.trials}${share}`,
    ...(done > 0 && { tone: isGood ? 'good' : 'bad' }),
  }
}

function costOf(run: EvalRun): string {
  const costs = summaryOf(run).variants.map(({ cost, judgeCost }) =>
    cost === undefined ? undefined : cost + judgeCost,
  )
  return costs.some((cost) => cost === undefined)
    ? 'unknown'
    : dollars(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0))
}

function runActions({ run, source }: FoundRun): readonly RecordAction[] {
  const path = `${PREFIX}/runs/${encodeURIComponent(run.id)}`
  if (source === 'files' || run.status === 'done') return []
  return run.status === 'open'
    ? [{ label: 'Cancel', path: `${path}/cancel`, confirm: 'Cancel this run?' }]
    : [{ label: 'Go on', path: `${path}/resume` }]
}

const RESULT_TONES = { passed: 'good', failed: 'bad', error: 'bad' } as const

function caseList(found: FoundRun): List {
  const { run } = found
  return recordList({
    title: `Run of ${run.startedAt.slice(0, 16).replace('T', ' ')}: ${passedCell(run).text ?? ''}`,
    columns: ['Case', 'Model', 'Result', 'Why', 'Took', 'Cost'],
    records: run.results.map((result) => ({
      cells: [
        {
          text: `${result.suite} / ${result.case}${run.request.runs > 1 ? ` #${result.trial + 1}` : ''}`,
          open: { run: run.id, trial: String(result.index) },
        },
        result.variant,
        { text: result.status, tone: RESULT_TONES[result.status] },
        whyOf(result),
        `${result.seconds.toFixed(1)} s`,
        result.cost === undefined ? 'unknown' : dollars(result.cost),
      ],
    })),
    empty: run.error ? `${run.error.code}: ${run.error.message}` : 'No case has ended yet.',
    actions: runActions(found),
  })
}

/** The lines that did not pass, each with its reason. */
function whyOf({ error, lines }: TrialResult): string {
  const failing = lines.filter(({ passed }) => !passed)
  return [
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...failing.map(({ label, line, reason }) => `line ${line}: ${label} — ${reason}`),
  ].join('; ')
}

const otherRuns = (run: EvalRun, runs: readonly FoundRun[]): List =>
  recordList({
    title: 'Compare with',
    columns: ['Started', 'Passed', 'Cost', 'Commit'],
    records: runs
      .filter((other) => other.run.id !== run.id)
      .map((other) => ({
        cells: [
          { time: other.run.startedAt, open: { run: run.id, with: other.run.id } },
          passedCell(other.run),
          costOf(other.run),
          other.run.commit?.slice(0, 8) ?? '',
        ],
      })),
    empty: 'There is no other run.',
  })

function trialLists(result: TrialResult): readonly List[] {
  const { calls, lines, turns } = result
  return [
    recordList({
      title: `${result.suite} / ${result.case}: ${result.status}`,
      columns: ['Line', 'Asks for', 'Result', 'Reason'],
      records: [
        ...(result.error
          ? [{ cells: ['', result.error.code, bad('error'), result.error.message] }]
          : []),
        ...lines.map(({ label, line, passed, reason }) => ({
          cells: [
            line === 0 ? '' : String(line),
            label,
            passed ? { text: 'passed', tone: 'good' as const } : bad('failed'),
            reason,
          ],
        })),
      ],
      empty: 'It was checked for nothing.',
    }),
    recordList({
      title: 'Messages',
      columns: ['Message', 'Answer', 'Ended'],
      records: turns.map(({ error, input, reason, text }) => ({
        cells: [input, error ?? text, reason],
      })),
    }),
    recordList({
      title: 'Tool calls',
      columns: ['Tool', 'Arguments', 'Result', 'Status'],
      records: calls.map(({ agents, args, error, name, output, status }) => ({
        cells: [
          [...agents, name].join(' › '),
          ellipsis(JSON.stringify(args), CHARS),
          ellipsis(error ?? JSON.stringify(output ?? null), CHARS),
          status === 'success' ? { text: status, tone: 'good' as const } : bad(status),
        ],
      })),
      empty: 'No tool was called.',
    }),
  ]
}

const bad = (text: string): RecordCell => ({ text, tone: 'bad' })

const CHANGE_TONES: Readonly<Partial<Record<CaseComparison['change'], RecordCell['tone']>>> = {
  worse: 'bad',
  better: 'good',
}

function comparisonList(before: EvalRun, now: EvalRun): List {
  const cases = compareRuns(before, now)
  const count = (change: CaseComparison['change']): number =>
    cases.filter((one) => one.change === change).length
  return recordList({
    title: `${count('worse')} worse, ${count('better')} better`,
    columns: ['Case', `Before: ${nameOf(before)}`, `Now: ${nameOf(now)}`, 'Change', 'Cost', 'Time'],
    records: cases.map((one) => {
      const tone = CHANGE_TONES[one.change]
      return {
        cells: [
          `${one.suite} / ${one.case}`,
          sideText(one.before),
          sideText(one.now),
          { text: one.change, ...(tone && { tone }) },
          one.cost === undefined ? '' : `${signOf(one.cost)}${dollars(Math.abs(one.cost))}`,
          one.seconds === undefined
            ? ''
            : `${signOf(one.seconds)}${Math.abs(one.seconds).toFixed(1)} s`,
        ],
      }
    }),
    empty: 'Neither has a result.',
  })
}

const nameOf = ({ commit, startedAt }: EvalRun): string =>
  `${startedAt.slice(0, 16).replace('T', ' ')}${commit === undefined ? '' : `, ${commit.slice(0, 8)}`}`

const sideText = (side: CaseSide | undefined): string =>
  side ? `${side.passed} of ${side.trials} passed` : '—'

const signOf = (difference: number): string => (difference < 0 ? '−' : '+')
