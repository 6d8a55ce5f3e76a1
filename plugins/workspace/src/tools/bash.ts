import { ok, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'
import type { Workspaces } from '../session/workspace.ts'
import type { WorkspaceSettings } from '../settings.ts'
import type { ShellOutcome, WorkspaceShell } from '../tokens.ts'
import { fileTool } from './file-tool.ts'
import { provenShell } from './shells.ts'
import { headAndTail, OUTPUT_CHARS } from './text.ts'

/** ms beyond those of a command, to end it and to record the workspace. */
const GRACE_MS = 30_000

/** Runs a command where a shell proves that it cannot reach anything outside. */
export const bashTool = (
  workspaces: Workspaces,
  { bash: level, quota }: WorkspaceSettings,
  shells: () => Iterable<WorkspaceShell>,
): ToolDefinition => {
  const { seconds } = quota
  return fileTool(workspaces, {
    name: 'bash',
    description:
      'Runs a shell command in the workspace, which is its working directory. It has no network.',
    readOnly: false,
    timeoutMs: seconds * 1_000 + GRACE_MS,
    runningLabel: 'Running a command',
    completedLabel: 'Ran a command',
    input: z.object({
      command: z.string().min(1).max(100_000),
      timeout: z.int().min(1).max(seconds).nullish().describe(`Seconds; at most ${seconds}`),
    }),
    work: async ({ command, timeout }, workspace, { signal, session, tenant }) => {
      const shell = await provenShell(shells(), level, signal)
      if (!shell.ok) return shell
      const outcome = await shell.value.run(
        {
          command,
          workspace,
          timeoutMs: (timeout ?? seconds) * 1_000,
          outputChars: OUTPUT_CHARS,
          quota,
          account: JSON.stringify([tenant, session]),
        },
        signal,
      )
      return outcome.ok ? ok({ output: shown(outcome.value) }) : outcome
    },
  })
}

function shown({ exitCode, stdout, stderr, reason, message }: ShellOutcome): string {
  const why = message === undefined ? reason : `${reason}: ${message}`
  const end = reason === 'exited' ? `exit code ${exitCode}` : why
  const half = OUTPUT_CHARS / 2
  const parts = [
    headAndTail(stdout, stderr === '' ? OUTPUT_CHARS : half),
    ...(stderr === '' ? [] : [`stderr:\n${headAndTail(stderr, half)}`]),
  ]
  return [end, ...parts.filter((part) => part !== '')].join('\n')
}
