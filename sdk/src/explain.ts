import { messageOf, never, type Failure, type PlanProblem } from '@amodal/kernel'
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
  if (!('kind' in what)) return planText(what)
  switch (what.kind) {
    case 'plan':
      return planText(what.problems)
    case 'plugin': {
      // The words of whoever failed, where they are known; a stack trace is for the log.
      const { code, message, cause, plugin, phase } = what.error
      return failureText({ code, message: cause === undefined ? message : messageOf(cause) }, [
        `  where: the plugin ${plugin}, in its ${phase}`,
      ])
    }
    case 'agent':
      return failureText(what.failure, (what.failure.issues ?? []).map(problemLine))
    default:
      return never(what)
  }
}

function planText(problems: readonly PlanProblem[]): string {
  const head =
    problems.length === 1
      ? 'The plugins cannot run:'
      : `The plugins cannot run, for ${problems.length} reasons:`
  return [
    head,
    ...problems.flatMap(({ code, message, fix }) => [`  ${code}  ${message}`, `    fix: ${fix}`]),
  ].join('\n')
}

const failureText = ({ code, message, fix }: Failure, lines: readonly string[]): string =>
  [`${code}: ${message}`, ...lines, `What to do: ${fixOf({ code, fix })}.`].join('\n')
const problemLine = (issue: BundleIssue): string =>
  `  ${issue.severity === 'warning' ? 'warning' : issue.code}  ${issueLine(issue)}`
