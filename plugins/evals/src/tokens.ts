import { slot, type Caller, type Failure, type Result } from '@amodal/sdk'
import type { Baseline } from './replay/baseline.ts'
import type { ChangeReport } from './replay/change-report.ts'
import type { Recording } from './replay/recording.ts'
import type { BranchRequest } from './replay/run-branch.ts'
import type { ReplayReport } from './replay/run-replay.ts'
import type { EvalRunner } from './run/eval-runner.ts'
import type { RelatedCases } from './run/related-cases.ts'

export { CHANGE_KINDS, changeText, type Change, type ChangeKind } from './change/change.ts'
export { changedFolder, type ChangedFolder } from './change/changed-folder.ts'
export { parseChange, type ChangeFiles } from './change/parse-change.ts'
export type { Act } from './replay/act.ts'
export { newestRecordings } from './replay/newest-recordings.ts'
export {
  sessionDivergence,
  type ActDivergence,
  type ConversationPlace,
  type RequestDivergence,
  type SessionDivergence,
} from './replay/session-divergence.ts'
export { RunMemory } from './results/run-memory.ts'
export { isTrial } from './trial/trial.ts'
export type { RelatedCases } from './run/related-cases.ts'
export type { EvalRun, RunStatus, TrialResult } from './results/result.ts'

/** Runs evals: the cases of `evals/` in the agent's files. */
export interface Evals {
  readonly runner: EvalRunner
  /** Repeats a conversation with this agent, and notes what its model is sent. */
  readonly baseline: (
    recording: Recording,
    signal: AbortSignal,
  ) => Promise<Result<Baseline, Failure>>
  /**
   * Repeats it with this agent, which is a changed one, up to where its model is sent something
   * else than that of the unchanged one; from there the model answers itself. Nothing outside is
   * called.
   */
  readonly branch: (
    request: BranchRequest,
    signal: AbortSignal,
  ) => Promise<Result<ChangeReport, Failure>>
  /**
   * The cases that a change of files can make another result of, as `amodal eval --changed` finds
   * them.
   *
   * @param files paths below the agent folder
   * @param owner whose runs are looked at for what a case used
   * @throws where the store of runs cannot be read
   * @example
   * const { cases } = await generation.scope.get(Evals).related(['skills/tone/SKILL.md'], caller)
   */
  readonly related: (
    files: readonly string[],
    owner: Pick<Caller, 'tenant' | 'principal'>,
  ) => Promise<RelatedCases>
  /** Repeats a conversation, and says what differs. */
  readonly replay: (
    recording: Recording,
    signal: AbortSignal,
  ) => Promise<Result<ReplayReport, Failure>>
}

export const Evals = slot.kernel<Evals>('evals')
