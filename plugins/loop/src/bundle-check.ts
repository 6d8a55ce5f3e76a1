import {
  type AgentBundle,
  type AgentHooks,
  type BundleFailure,
  type BundleIssue,
  type BundleSource,
  err,
  failure,
  type HeldEdits,
  ok,
  type Result,
} from '@amodal/sdk'
import { errorsIn, issuesTold } from '@amodal/sdk/files'

interface Place {
  readonly hooks: AgentHooks['bundle']
  readonly source: BundleSource
  readonly inUse: AgentBundle | undefined
}

/**
 * Lets plugins read and check a bundle. The first bundle is used even with errors; a later one is
 * rejected if it has an error that the bundle in use does not have.
 */
export async function examineBundle(
  candidate: AgentBundle,
  { hooks, source, inUse }: Place,
): Promise<Result<AgentBundle, BundleFailure>> {
  const merged = await hooks.load.call(candidate, source)
  if (!merged.ok) return err(merged.error.toFailure())
  const issues: BundleIssue[] = [...merged.value.issues]
  const checked = await hooks.check.call(merged.value, issues)
  if (!checked.ok) return err(checked.error.toFailure())
  const broken = inUse
    ? errorsIn(issues).filter((issue) => !inUse.issues.some((known) => isSame(known, issue)))
    : []
  return broken.length === 0 ? ok(Object.freeze({ ...merged.value, issues })) : err(refusal(broken))
}

/** The problem in `/health` while edits are held back. */
export const heldProblem = ({ issues }: HeldEdits): BundleFailure => refusal(issues)

function refusal(issues: readonly BundleIssue[]): BundleFailure {
  return {
    ...failure('BAD_REPO', `an edit is not in use: ${issuesTold(issues, 'it contains errors')}`),
    issues,
  }
}

/** Compares without the line, which an edit elsewhere in the file moves. */
const isSame = (a: BundleIssue, b: BundleIssue): boolean =>
  a.severity === b.severity && a.code === b.code && a.file === b.file && a.message === b.message
