import type { EvalRun, TrialResult } from '../results/result.ts'

/** A run as JUnit XML, as CI servers read it: a test suite for each suite and model. */
export function junit(run: EvalRun): string {
  const suites = Map.groupBy(run.results, ({ suite, variant }) => `${suite} (${variant})`)
  const body = [...suites].map(([name, results]) => {
    const failures = results.filter(({ status }) => status === 'failed').length
    const errors = results.filter(({ status }) => status === 'error').length
    const time = results.reduce((sum, { seconds }) => sum + seconds, 0)
    return [
      `  <testsuite name="${xml(name)}" tests="${results.length}" failures="${failures}" errors="${errors}" time="${time.toFixed(3)}">`,
      ...results.map((result) => testcase(result, run.request.runs)),
      '  </testsuite>',
    ].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...body, '</testsuites>'].join(
    '\n',
  )
}

function testcase(result: TrialResult, runs: number): string {
  const { error, lines, seconds, status, suite, trial } = result
  const name = runs > 1 ? `${result.case} #${trial + 1}` : result.case
  const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}" time="${seconds.toFixed(3)}"`
  if (status === 'passed') return `${open}/>`
  const failed = lines.filter(({ passed }) => !passed)
  const text = failed.map(({ label, line, reason }) => `line ${line}: ${label}: ${reason}`)
  const [first = error?.message ?? ''] = text
  const tag = status === 'error' ? 'error' : 'failure'
  const all = [...(error ? [`${error.code}: ${error.message}`] : []), ...text].join('\n')
  return [
    `${open}>`,
    `      <${tag} message="${xml(first)}">${xml(all)}</${tag}>`,
    '    </testcase>',
  ].join('\n')
}

/** Without characters that XML 1.0 cannot hold. */
const xml = (text: string): string =>
  text
    .replaceAll(/[[\p{Cc}\p{Cs}\uFFFE\uFFFF]--[\t\n\r]]/gv, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
