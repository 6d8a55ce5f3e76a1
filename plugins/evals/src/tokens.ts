import { slot, type Failure, type Result } from '@amodal/sdk'
import type { Recording } from './replay/recording.ts'
import type { ReplayReport } from './replay/run-replay.ts'
import type { EvalRunner } from './run/eval-runner.ts'

export { CHANGE_KINDS, changeText, type Change, type ChangeKind } from './change/change.ts'
export { changedFolder, type ChangedFolder } from './change/changed-folder.ts'
export { parseChange, type ChangeFiles } from './change/parse-change.ts'

/** Runs evals: the cases of `evals/` in the agent's files. */
export interface Evals {
  readonly runner: EvalRunner
  /** Repeats a conversation, and says what differs. */
  readonly replay: (
    recording: Recording,
    signal: AbortSignal,
  ) => Promise<Result<ReplayReport, Failure>>
}

export const Evals = slot.kernel<Evals>('evals')
