import { slot } from '@amodal/sdk'
import type { EvalRunner } from './run/eval-runner.ts'

/** Runs evals: the cases of `evals/` in the agent's files. */
export interface Evals {
  readonly runner: EvalRunner
}

export const Evals = slot.kernel<Evals>('evals')
