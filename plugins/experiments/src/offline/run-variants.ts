import { Agent, err, messageOf, ok, type CommandContext, type Result } from '@amodal/sdk'
import {
  changedFolder,
  Evals,
  RunMemory,
  type EvalRun,
  type TrialResult,
} from '@amodal/plugin-evals/tokens'
import type { Experiment, Variant } from '../definition.ts'

export interface OfflineRequest {
  /** Of each case with each variant. */
  readonly runs: number
  /** Dollars of one variant. */
  readonly budget: number | undefined
}

/** What the evals came to with one variant; `problem`: why they did not end. */
export interface OfflineResult {
  readonly variant: string
  readonly results: readonly TrialResult[]
  readonly problem?: string
}

/**
 * Runs the evals of an experiment once with each variant, one after the other, each on a changed
 * copy of the agent folder. A variant that fails stops no other.
 *
 * @param onResult called with each case as it ends
 */
export async function runVariants(
  context: CommandContext,
  experiment: Experiment,
  request: OfflineRequest,
  onResult: (variant: string, result: TrialResult) => void,
): Promise<readonly OfflineResult[]> {
  const results: OfflineResult[] = []
  for (const variant of experiment.variants) {
    if (context.signal.aborted) break
    const run = await runVariant(context, experiment, variant, request, onResult)
    results.push(
      run.ok
        ? {
            variant: variant.name,
            results: run.value.results,
            ...(run.value.status !== 'done' && { problem: `the run ended as ${run.value.status}` }),
          }
        : { variant: variant.name, results: [], problem: run.error },
    )
  }
  return results
}

async function runVariant(
  context: CommandContext,
  experiment: Experiment,
  variant: Variant,
  request: OfflineRequest,
  onResult: (variant: string, result: TrialResult) => void,
): Promise<Result<EvalRun, string>> {
  const { dir, signal } = context
  const copy = await changedFolder(dir, variant.changes, signal)
  if (!copy.ok) return err(`${copy.error.code}: ${copy.error.message}`)
  try {
    const kernel = await context.start({
      dir: copy.value.dir,
      without: ['http'],
      looking: true,
    })
    const bundle = kernel.scope.get(Agent).bundle()
    const broken = bundle?.issues.find(
      ({ file, severity }) => severity === 'error' && copy.value.files.includes(file ?? ''),
    )
    if (broken) return err(`${broken.file ?? ''}:${broken.line ?? 1}: ${broken.message}`)
    const { runner } = kernel.scope.get(Evals)
    const store = new RunMemory()
    const { evals } = experiment
    const prepared = await runner.begin(
      {
        runs: request.runs,
        concurrency: 4,
        real: [],
        ...(evals.length > 0 && { suites: evals }),
        ...(request.budget !== undefined && { budget: request.budget }),
      },
      store,
    )
    if (!prepared.ok) return err(`${prepared.error.code}: ${prepared.error.message}`)
    const status = await runner.run(prepared.value, {
      store,
      signal,
      onResult: (result) => onResult(variant.name, result),
    })
    const run = await store.find(prepared.value.header.id)
    return run ? ok({ ...run, status }) : err('the run is not stored')
  } catch (cause) {
    return err(messageOf(cause))
  } finally {
    await copy.value.remove()
  }
}
