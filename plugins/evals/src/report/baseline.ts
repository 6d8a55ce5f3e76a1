import { err, isList, isObject, ok, trySync, type Json, type Result } from '@amodal/sdk'
import type { EvalRun } from '../results/result.ts'
import { caseName } from '../run/touched-cases.ts'
import { usedNames } from '../run/used-names.ts'
import { summaryOf, type CaseSummary } from './summary.ts'

/** A case whose share of passed trials is not what it was. */
export interface Difference {
  readonly suite: string
  readonly case: string
  readonly variant: string
  /** From 0 to 1; `undefined`: it was not there. */
  readonly before: number | undefined
  readonly now: number
}

export interface Comparison {
  readonly regressed: readonly Difference[]
  readonly improved: readonly Difference[]
  readonly added: readonly Difference[]
  /** Cases of the baseline that this run does not have. */
  readonly missing: readonly string[]
}

/** A case as a baseline has it. */
export interface BaselineCase extends Pick<
  CaseSummary,
  'suite' | 'case' | 'variant' | 'passed' | 'trials'
> {
  /** What its calls went to, for `--changed` where no run is stored; left out: not known. */
  readonly uses?: readonly string[]
}

/** What is stored to compare later runs with. */
export const baselineText = (run: EvalRun): string => {
  const used = usedNames([run])
  const cases = summaryOf(run).cases.map(
    ({ case: name, passed, suite, trials, variant }): BaselineCase => ({
      suite,
      case: name,
      variant,
      passed,
      trials,
      uses: [...(used.get(caseName(suite, { name })) ?? [])].sort(),
    }),
  )
  const { commit, startedAt } = run
  return `${JSON.stringify({ startedAt, ...(commit !== undefined && { commit }), cases }, null, 2)}\n`
}

/**
 * Reads a baseline, as `--save-baseline` writes it.
 *
 * @returns its cases, or what is wrong with it
 */
export function readBaseline(text: string): Result<readonly BaselineCase[], string> {
  const parsed = trySync(
    () => JSON.parse(text) as Json,
    () => undefined,
  )
  const cases = parsed.ok && isObject(parsed.value) ? parsed.value['cases'] : undefined
  if (!isList(cases)) return err('it has no list `cases`')
  const entries = cases.flatMap((one) => entryOf(one) ?? [])
  return entries.length === cases.length
    ? ok(entries)
    : err('an entry of `cases` lacks `suite`, `case`, `variant`, `passed` or `trials`')
}

function entryOf(value: Json): BaselineCase | undefined {
  const { suite, case: name, variant, passed, trials, uses } = isObject(value) ? value : {}
  const names = isList(uses) ? uses.filter((one) => typeof one === 'string') : undefined
  return typeof suite === 'string' &&
    typeof name === 'string' &&
    typeof variant === 'string' &&
    typeof passed === 'number' &&
    typeof trials === 'number'
    ? { suite, case: name, variant, passed, trials, ...(names && { uses: names }) }
    : undefined
}

/**
 * Compares a run with a baseline, case by case and model by model. A case that both have with one
 * model each is compared whatever the models are: another model is a change like any other.
 */
export function compareWith(baseline: readonly BaselineCase[], run: EvalRun): Comparison {
  const { cases } = summaryOf(run)
  const before = byCase(baseline)
  const now = byCase(cases)
  const counterpart = (one: BaselineCase, there: ReturnType<typeof byCase>, here: typeof there) => {
    const others = there.get(nameOf(one)) ?? []
    const isAlone = others.length === 1 && here.get(nameOf(one))?.length === 1
    return (
      others.find(({ variant }) => variant === one.variant) ?? (isAlone ? others[0] : undefined)
    )
  }
  const all = cases.map((one): Difference => {
    const known = counterpart(one, before, now)
    return {
      suite: one.suite,
      case: one.case,
      variant: one.variant,
      before: known && shareOf(known),
      now: shareOf(one),
    }
  })
  return {
    regressed: all.filter((one) => one.before !== undefined && one.now < one.before),
    improved: all.filter((one) => one.before !== undefined && one.now > one.before),
    added: all.filter((one) => one.before === undefined),
    missing: baseline
      .filter((one) => !counterpart(one, now, before))
      .map((one) => `${one.suite} / ${one.case}  ${one.variant}`),
  }
}

const nameOf = (one: BaselineCase): string => JSON.stringify([one.suite, one.case])
const byCase = (cases: readonly BaselineCase[]): ReadonlyMap<string, readonly BaselineCase[]> =>
  Map.groupBy(cases, nameOf)
const shareOf = ({ passed, trials }: BaselineCase): number => passed / Math.max(1, trials)
