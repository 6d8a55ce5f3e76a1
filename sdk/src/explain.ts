import { explain as explainKernel, type Failure, type PlanProblem } from '@amodal/kernel'
import { fixOf } from './errors.ts'
import { issueLine } from './files/issues.ts'
import type { BundleIssue } from './ports/bundle.ts'
import type { StartError } from './start.ts'

/**
 * Says what went wrong, where, and what to do about it: every problem of a plan, one line each; or
 * the one plugin or file that is at fault. For a person at a terminal.
 *
 * @param what what `startAgent`, `Kernel.create`, `kernel.reload` or `resolvePlan` refused with
 * @example
 * const started = await startAgent(entries)
 * if (!started.ok) throw new Error(explain(started.error))
 */
export function explain(what: StartError | readonly PlanProblem[]): string {
  return 'kind' in what && what.kind === 'agent'
    ? failureText(what.failure, (what.failure.issues ?? []).map(problemLine))
    : explainKernel(what, fixOf)
}

const failureText = ({ code, message, fix }: Failure, lines: readonly string[]): string =>
  [`${code}: ${message}`, ...lines, `What to do: ${fixOf({ code, fix })}.`].join('\n')
const problemLine = (issue: BundleIssue): string =>
  `  ${issue.severity === 'warning' ? 'warning' : issue.code}  ${issueLine(issue)}`
