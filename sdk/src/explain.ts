import type { KernelError, PlanProblem } from '@amodal/kernel'

/**
 * Says every problem and its fix, one line each, for a terminal.
 *
 * @param what what `Kernel.create`, `kernel.reload` or `resolvePlan` refused with
 * @example
 * const made = await Kernel.create(entries)
 * if (!made.ok) throw new Error(explain(made.error))
 */
export function explain(what: KernelError | readonly PlanProblem[]): string {
  if ('kind' in what && what.kind === 'plugin') return `${what.error.message}\n  ${what.error.code}: the plugin "${what.error.plugin}" is at fault`
  const problems = 'kind' in what ? what.problems : what
  const head = problems.length === 1 ? 'The plugins cannot run:' : `The plugins cannot run, for ${problems.length} reasons:`
  return [head, ...problems.flatMap(({ code, message, fix }) => [`  ${code}  ${message}`, `    fix: ${fix}`])].join('\n')
}
