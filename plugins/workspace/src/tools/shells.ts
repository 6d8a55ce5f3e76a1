import { err, ok, type AsyncResult } from '@amodal/sdk'
import { WorkspaceShellUnavailable } from '../errors.ts'
import type { ShellLevel } from '../settings.ts'
import type { WorkspaceShell } from '../tokens.ts'

/** The order in which `auto` tries them; those of other levels follow. */
const PREFERRED: readonly string[] = ['process', 'virtual']

/**
 * The first shell that proves what a command cannot do.
 *
 * @returns `WORKSPACE_SHELL_UNAVAILABLE` with what each of them failed at
 */
export async function provenShell(
  shells: Iterable<WorkspaceShell>,
  level: ShellLevel,
  signal: AbortSignal,
): AsyncResult<WorkspaceShell> {
  const rank = (shell: WorkspaceShell): number => {
    const at = PREFERRED.indexOf(shell.level)
    return at < 0 ? PREFERRED.length : at
  }
  const candidates = [...shells]
    .filter((shell) => level === 'auto' || shell.level === level)
    .toSorted((a, b) => rank(a) - rank(b))
  const problems: string[] = []
  for (const shell of candidates) {
    const proof = await shell.prove(signal)
    if (proof.ok) return ok(shell)
    problems.push(`${shell.level}: ${proof.error.message}`)
  }
  const why = problems.length > 0 ? problems.join('; ') : 'no such shell is installed'
  return err(WorkspaceShellUnavailable(`commands of the level ${level} cannot be run: ${why}`))
}
