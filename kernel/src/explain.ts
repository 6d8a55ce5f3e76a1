import type { Failure } from './errors.ts'
import { KERNEL_CODES } from './errors.ts'
import type { KernelError, PlanProblem } from './plan.ts'
import { messageOf } from './result.ts'

/** The next step after a failure. */
type FixOf = (failure: Pick<Failure, 'code' | 'fix'>) => string

/**
 * Formats a failure for a terminal, with the place and the next step: every problem of a plan, one
 * line each, or the error of one plugin.
 *
 * @param what the error of `Kernel.create`, `kernel.reload` or `resolvePlan`
 * @param fixOf knows the codes of a layer above
 * @example
 * const created = await Kernel.create([use(clock)])
 * if (!created.ok) throw new Error(explain(created.error))
 */
export function explain(what: KernelError | readonly PlanProblem[], fixOf: FixOf = ownFix): string {
  if (!('kind' in what)) return planText(what)
  if (what.kind === 'plan') return planText(what.problems)
  // The message of the cause, where there is one; the stack trace goes to the log.
  const { code, message, cause, plugin, phase } = what.error
  return [
    `${code}: ${cause === undefined ? message : messageOf(cause)}`,
    `  where: the plugin ${plugin}, in its ${phase}`,
    `What to do: ${fixOf({ code })}.`,
  ].join('\n')
}

const ownFix: FixOf = ({ code, fix }) =>
  fix ?? new Map<string, string>(Object.entries(KERNEL_CODES)).get(code) ?? KERNEL_CODES.INTERNAL

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
