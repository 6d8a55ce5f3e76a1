import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { METRICS, type Metric } from '../definition.ts'
import type { OfflineComparison, PairedDifference } from '../offline/compare.ts'
import { intervalText, isMetric, metricText, signed } from '../verdict/verdict.ts'

/** Rows of text in columns. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(heads), ...rows.map(line)]
}

const listIn = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter((one) => isObject(one)) : []
const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '—')

/** The list of a server's experiments. */
export function listLines(answer: JsonObject): readonly string[] {
  const experiments = listIn(answer['experiments'])
  if (experiments.length === 0) return ['There are no experiments: each is a file in experiments/.']
  return table(
    ['experiment', 'status', 'share', 'metric', 'variants'],
    experiments.map((one) => [
      textIn(one['name']),
      textIn(one['status']),
      `${(Number(one['share']) * 100).toFixed(1)} %`,
      textIn(one['metric']),
      Array.isArray(one['variants']) ? one['variants'].join(', ') : '',
    ]),
  )
}

/** What came of an experiment online. */
export function statusLines(answer: JsonObject): readonly string[] {
  const name = textIn(answer['metric'])
  const metric: Metric = isMetric(name) ? name : 'feedback'
  const figures = listIn(answer['figures'])
  const others = METRICS.filter((one) => one !== metric)
  const promoted = answer['promoted']
  return [
    `${textIn(answer['name'])}: ${textIn(answer['status'])}${typeof promoted === 'string' ? ` (${promoted})` : ''}, ${metric}, ${(Number(answer['share']) * 100).toFixed(1)} % of the principals`,
    '',
    ...table(
      ['variant', 'principals', 'mean', 'difference', 'verdict'],
      figures.map((one) => [
        textIn(one['variant']),
        ...metricCells(one, metric),
        one['control'] === true ? 'control' : textIn(one['verdict']).replace('_', ' '),
      ]),
    ),
    '',
    ...table(
      ['variant', 'metric', 'principals', 'mean', 'difference'],
      others.flatMap((other) =>
        figures.map((one) => [textIn(one['variant']), other, ...metricCells(one, other)]),
      ),
    ),
  ]
}

function metricCells(figures: JsonObject, metric: Metric): readonly string[] {
  const all = figures['metrics']
  const one = isObject(all) ? all[metric] : undefined
  if (!isObject(one)) return ['0', '—', '—']
  const { difference, interval, mean, principals } = one
  const [low, high]: readonly Json[] = isList(interval) ? interval : []
  return [
    typeof principals === 'number' ? String(principals) : '0',
    typeof mean === 'number' ? metricText(metric, mean) : '—',
    typeof low === 'number' && typeof high === 'number' && typeof difference === 'number'
      ? intervalText(metric, { difference, low, high })
      : '—',
  ]
}

/** How the variants compare in the evals. */
export function comparisonLines(comparisons: readonly OfflineComparison[]): readonly string[] {
  return [
    '',
    ...table(
      ['variant', 'passed', 'difference', 'cost', 'difference', 'time', 'difference', 'verdict'],
      comparisons.map((one) => [
        one.variant,
        `${one.passed} of ${one.judged}`,
        differenceText(one.passRate, 'feedback'),
        one.cost === undefined ? '—' : metricText('cost', one.cost),
        differenceText(one.costDifference, 'cost'),
        one.seconds === undefined ? '—' : metricText('latency', one.seconds),
        differenceText(one.secondsDifference, 'latency'),
        one.isControl ? 'control' : (one.verdict ?? '—'),
      ]),
    ),
    ...comparisons.flatMap(({ cases, errors, problem, variant }) => [
      ...(cases?.better ?? []).map((name) => `${variant}: better: ${name}`),
      ...(cases?.worse ?? []).map((name) => `${variant}: worse: ${name}`),
      ...(errors > 0 ? [`${variant}: ${errors} could not be judged`] : []),
      ...(problem === undefined ? [] : [`${variant}: ${problem}`]),
    ]),
  ]
}

function differenceText(paired: PairedDifference | undefined, metric: Metric): string {
  if (!paired) return '—'
  const { interval, mean } = paired
  return interval
    ? intervalText(metric, { difference: mean, low: interval[0], high: interval[1] })
    : signed(metric, mean)
}
