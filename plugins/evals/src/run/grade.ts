import type { Failure, Result } from '@amodal/sdk'
import { checkAll } from '../checks/check-all.ts'
import type { Check, EvalCase } from '../definition.ts'
import type { Judged } from '../judge/judge.ts'
import type { LineResult, TrialStatus } from '../results/result.ts'
import type { TrialObserved } from '../trial/run-trial.ts'

/**
 * The lines that need no model: what was asked of each turn, of the whole case, and what every case
 * is held to.
 *
 * @param problems calls that no stub answered, and questions that the case has no answer for
 */
export function gradeChecks(
  { checks }: EvalCase,
  { turns, final }: TrialObserved,
  problems: readonly string[],
): readonly LineResult[] {
  return [
    ...turns.flatMap(({ checks: own, observation }) => lines(own, observation)),
    ...lines(checks, final),
    ...problems.map((reason): LineResult => ({
      kind: 'check',
      label: 'nothing is called that has no stub',
      line: 0,
      passed: false,
      reason,
    })),
  ]
}

const lines = (
  checks: readonly Check[],
  observation: TrialObserved['final'],
): readonly LineResult[] =>
  checkAll(checks, observation).map(({ check, label, passed, reason }) => ({
    kind: 'check',
    label,
    line: check.line,
    passed,
    reason,
  }))

/** The lines that a model has judged. */
export const gradeRubric = ({ rubric }: EvalCase, { verdicts }: Judged): readonly LineResult[] =>
  rubric.flatMap(({ line, negated, text }, index) => {
    const verdict = verdicts[index]
    if (!verdict) return []
    const { met, reason, votes } = verdict
    return [{ kind: 'rubric', label: text, line, passed: met, reason, negated, votes }]
  })

/** A case passes where every line does; what could not be judged is an error. */
export function statusOf(
  lines: readonly LineResult[],
  judged: Result<unknown, Failure> | undefined,
): TrialStatus {
  if (judged?.ok === false) return 'error'
  return lines.every(({ passed }) => passed) ? 'passed' : 'failed'
}
