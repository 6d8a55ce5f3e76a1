import type { AgentBundle } from '@amodal/sdk'
import { labelOf } from '../checks/label.ts'
import { suitesOf, type Check, type EvalCase } from '../definition.ts'
import { summaryOf } from '../report/summary.ts'
import type { FoundRun } from './run-service.ts'

/** The suites as a client sees them, with what is wrong with their files. */
export function suitesShown(bundle: AgentBundle | undefined): object {
  if (!bundle) return { suites: [], issues: [] }
  return {
    suites: suitesOf(bundle).map(({ cases, description, file, name, title }) => ({
      name,
      title,
      description,
      file,
      cases: cases.map(caseShown),
    })),
    issues: bundle.issues.filter(({ file = '' }) => file.startsWith('evals/')),
  }
}

const caseShown = ({ checks, line, name, rubric, tags, turns }: EvalCase): object => ({
  name,
  line,
  tags,
  turns: turns.map((turn) => ({ input: turn.input, checks: turn.checks.map(checkShown) })),
  checks: checks.map(checkShown),
  rubric: rubric.map((one) => ({
    text: one.text,
    line: one.line,
    negated: one.negated,
    ...(one.turn !== undefined && { turn: one.turn }),
  })),
})

const checkShown = (check: Check): object => ({ label: labelOf(check), line: check.line })

/** A run in a list: what it came to, without its results. */
export function runShown({ run, source }: FoundRun): object {
  const { results, ...header } = run
  return { ...header, source, finished: results.length, summary: summaryOf(run) }
}

/** One run with all that is known of it. */
export const wholeRun = ({ run, source }: FoundRun): object => ({
  ...run,
  source,
  finished: run.results.length,
  summary: summaryOf(run),
})
