import type { EvalRun, TrialResult } from '../results/result.ts'
import { plainLine } from './plain-text.ts'
import { summaryOf, type VariantSummary } from './summary.ts'

const MARKS = { passed: '✓', failed: '✗', error: '!' } as const

/** One result as lines for a terminal: what did not pass is told with its reason. */
export function resultLines(result: TrialResult, runs: number): readonly string[] {
  const { cost, error, lines, seconds, status, trial } = result
  const place = [result.suite, result.case].join(' / ')
  const number = runs > 1 ? ` #${trial + 1}` : ''
  const spent = [`${seconds.toFixed(1)} s`, ...(cost === undefined ? [] : [dollars(cost)])]
  return [
    `${MARKS[status]} ${place}${number}  ${result.variant}  ${spent.join(', ')}`,
    ...(error ? [`    ${error.code}: ${plainLine(error.message)}`] : []),
    ...lines
      .filter(({ passed }) => !passed)
      .map(
        ({ label, line, reason }) =>
          `    ${line > 0 ? `line ${line}: ` : ''}${plainLine(label)} — ${plainLine(reason)}`,
      ),
  ]
}

/** The end of a run: a row for each model, what is flaky, and what is worth knowing. */
export function summaryLines(run: EvalRun): readonly string[] {
  const { cases, variants } = summaryOf(run)
  const hasRuns = run.request.runs > 1
  const head = [
    'model',
    'passed',
    'rate (95 %)',
    ...(hasRuns ? [`pass@${run.request.runs}`, `pass^${run.request.runs}`] : []),
    'tokens',
    'cost',
    'judge',
    'p50',
    'p95',
  ]
  const rows = variants.map((one) => rowOf(one, hasRuns))
  const flaky = cases.filter((one) => one.flaky)
  return [
    '',
    ...aligned([head, ...rows]),
    ...flaky.map(
      (one) =>
        `flaky: ${one.suite} / ${one.case}  ${one.variant}  ${one.passed} of ${one.trials} passed`,
    ),
    ...notes(run),
  ]
}

function rowOf(one: VariantSummary, hasRuns: boolean): readonly string[] {
  const { interval, passAtK, passed, passHatK, passRate, trials } = one
  return [
    one.variant,
    `${passed} of ${trials}${one.errors > 0 ? ` (${one.errors} errors)` : ''}`,
    `${percent(passRate)} (${percent(interval[0])}–${percent(interval[1])})`,
    ...(hasRuns ? [percent(passAtK), percent(passHatK)] : []),
    one.tokens.toLocaleString('en'),
    one.cost === undefined ? 'unknown' : dollars(one.cost),
    dollars(one.judgeCost),
    `${one.p50.toFixed(1)} s`,
    `${one.p95.toFixed(1)} s`,
  ]
}

function notes({ id, results, status, trials }: EvalRun): readonly string[] {
  const judges = new Set(
    results.flatMap(({ judge }) => (judge?.isSubject === true ? [judge.model] : [])),
  )
  const missing = trials - results.length
  return [
    ...[...judges].map(
      (model) =>
        `${model} judged itself, since no other model is configured: name one as \`judge\` of \`evals\` in amodal.json`,
    ),
    ...(status === 'budget'
      ? [`The budget is used up: ${missing} of ${trials} were not run.`]
      : []),
    ...(missing > 0 ? [`Go on with: amodal eval --resume ${id}`] : []),
  ]
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
export const dollars = (amount: number): string =>
  amount === 0 ? '$0' : `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`
