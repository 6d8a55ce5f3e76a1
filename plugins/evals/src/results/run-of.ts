import type { EvalRun, RunError, RunHeader, RunStatus, TrialResult } from './result.ts'

/** What a run was begun with. */
export function headerOf(run: RunHeader): RunHeader {
  const { id, request, startedAt, suites, trials, variants, bundle, commit } = run
  return {
    id,
    startedAt,
    request,
    suites,
    variants,
    trials,
    bundle,
    ...(commit !== undefined && { commit }),
  }
}

/**
 * A run from what is stored of it. Of a place in the plan the first result counts, should two
 * processes have worked on one run.
 */
export function runOf(
  header: RunHeader,
  results: readonly TrialResult[],
  end: { readonly status: RunStatus; readonly error?: RunError } | undefined,
): EvalRun {
  const placed = new Map(results.toReversed().map((result) => [result.index, result]))
  const { error, status = 'open' } = end ?? {}
  const isComplete = placed.size >= header.trials
  return {
    ...headerOf(header),
    status: isComplete ? 'done' : openIfShort(status),
    ...(!isComplete && error && { error }),
    results: [...placed.values()].sort((a, b) => a.index - b.index),
  }
}

/** A run is not done while results are missing, whatever was written. */
const openIfShort = (status: RunStatus): RunStatus => (status === 'done' ? 'open' : status)
