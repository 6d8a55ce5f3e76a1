import { failure, type RouteHandler } from '@amodal/sdk'
import { describeRoutes, failed } from '@amodal/plugin-http/tokens'
import {
  recordList,
  type RecordAction,
  type RecordCell,
  type WidgetView,
  widgetViewDoc,
} from '@amodal/plugin-studio/tokens'
import { z } from 'zod'
import { METRICS, type Metric } from '../definition.ts'
import {
  intervalText,
  metricText,
  type VariantVerdict,
  type VerdictKind,
} from '../verdict/verdict.ts'
import { PREFIX } from './routes.ts'
import type { ExperimentService, FoundExperiment, JudgedExperiment } from './service.ts'
import { statusOf, type ShownStatus } from './shown.ts'

export const STUDIO_VIEW: WidgetView = {
  title: 'Experiments',
  icon: 'experiments',
  route: '/api/studio/experiments',
  scope: 'experiments',
  refreshOn: ['experiments.decided'],
}

type List = ReturnType<typeof recordList>

/** The view of experiments in the studio: all of them, and one with its variants. */
export const studioRoute = (service: ExperimentService): RouteHandler =>
  describeRoutes(
    {
      async fetch(request, context) {
        const caller = context.caller()
        if (!caller.ok) return failed(caller.error)
        if (request.method !== 'GET')
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        const name = new URL(request.url).searchParams.get('experiment')
        if (name === null) {
          const listed = await service.list(caller.value, context.signal)
          return listed.ok
            ? Response.json({ widgets: [experimentList(listed.value)] })
            : failed(listed.error)
        }
        const found = await service.find(caller.value, name, context.signal)
        return found.ok
          ? Response.json({ widgets: variantLists(found.value) })
          : failed(found.error)
      },
    },
    {
      'GET /api/studio/experiments': widgetViewDoc(
        'experiments and their figures, as the studio shows them',
        z.object({ experiment: z.string().optional() }),
      ),
    },
  )

const TONES: Readonly<Record<ShownStatus, NonNullable<RecordCell['tone']> | undefined>> = {
  running: 'good',
  offline: undefined,
  stopped: 'warn',
  promoted: 'good',
}

const experimentList = (found: readonly FoundExperiment[]): List =>
  recordList({
    title: 'Experiments',
    columns: ['Experiment', 'Status', 'Share', 'Metric', 'Variants', 'About'],
    records: found.map((one) => {
      const { description, metric, name, share, variants } = one.experiment
      const tone = TONES[statusOf(one)]
      return {
        cells: [
          { text: name, open: { experiment: name } },
          { text: statusOf(one), ...(tone && { tone }) },
          `${(share * 100).toFixed(1)} %`,
          metric,
          variants.map((variant) => variant.name).join(', '),
          description,
        ],
        actions: isOpen(one) ? [stopAction(name)] : [],
      }
    }),
    empty: 'There are no experiments: each is a file in experiments/.',
  })

const isOpen = (found: FoundExperiment): boolean => ['running', 'offline'].includes(statusOf(found))

const pathOf = (name: string): string => `${PREFIX}/${encodeURIComponent(name)}`

const stopAction = (name: string): RecordAction => ({
  label: 'Stop',
  path: `${pathOf(name)}/stop`,
  confirm: `Stop "${name}"? Sessions that begin from then on get the agent as it is.`,
})

const VERDICTS: Readonly<
  Record<VerdictKind, { readonly text: string; readonly tone: RecordCell['tone'] }>
> = {
  better: { text: 'better', tone: 'good' },
  worse: { text: 'worse', tone: 'bad' },
  undecided: { text: 'undecided', tone: undefined },
  too_few: { text: 'too few principals', tone: 'warn' },
}

export const verdictText = ({ isControl, verdict }: VariantVerdict): string =>
  isControl || !verdict ? 'control' : VERDICTS[verdict].text

function variantLists(judged: JudgedExperiment): readonly List[] {
  const { experiment, variants } = judged
  const { metric, name } = experiment
  const others = METRICS.filter((one) => one !== metric)
  return [
    recordList({
      title: `${name}: ${metric}, ${statusOf(judged)}`,
      columns: ['Variant', 'Principals', 'Mean', 'Difference', 'Verdict'],
      records: variants.map((one) => ({
        cells: [one.variant, ...cellsOf(one, metric), verdictCell(one)],
        actions: isOpen(judged) ? [promoteAction(name, one.variant)] : [],
      })),
      actions: isOpen(judged) ? [stopAction(name)] : [],
    }),
    recordList({
      title: 'Other figures, without a verdict',
      columns: ['Variant', 'Metric', 'Principals', 'Mean', 'Difference'],
      records: others.flatMap((other) =>
        variants.map((one) => ({ cells: [one.variant, other, ...cellsOf(one, other)] })),
      ),
    }),
  ]
}

function cellsOf({ metrics }: VariantVerdict, metric: Metric): readonly string[] {
  const { count, interval, mean } = metrics[metric]
  return [
    String(count),
    count === 0 ? '—' : metricText(metric, mean),
    interval ? intervalText(metric, interval) : '—',
  ]
}

function verdictCell(variant: VariantVerdict): RecordCell {
  const tone = variant.verdict && VERDICTS[variant.verdict].tone
  return { text: verdictText(variant), ...(tone && { tone }) }
}

const promoteAction = (name: string, variant: string): RecordAction => ({
  label: 'Promote',
  path: `${pathOf(name)}/promote`,
  body: { variant },
  confirm: `Promote "${variant}" of "${name}"? Everybody gets it from then on.`,
})
