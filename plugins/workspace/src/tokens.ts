import { registry, type AsyncResult } from '@amodal/sdk'
import type { Workspace } from './session/workspace.ts'

// What other plugins may import: the shells that run commands in a workspace.
export type { Workspace } from './session/workspace.ts'

export interface ShellCommand {
  /** A script for a POSIX shell. */
  readonly command: string
  readonly workspace: Workspace
  readonly timeoutMs: number
  /** Characters of each of the two outputs that the shell has to keep at least. */
  readonly outputChars: number
  /** At which a command is ended. */
  readonly quota: { readonly bytes: number; readonly files: number }
  /** Commands of different accounts must not be able to reach one another. */
  readonly account: string
}

export interface ShellOutcome {
  /** `null` where the command did not end by itself. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly reason: 'exited' | 'timeout' | 'stopped' | 'failed'
  /** Why it did not end by itself. */
  readonly message?: string
}

export interface ShellProof {
  readonly level: string
  /** What was tried, or which isolation holds. */
  readonly message: string
}

/** Runs commands in a workspace. */
export interface WorkspaceShell {
  readonly level: 'virtual' | 'process' | (string & {})
  /**
   * Tries what a command must not be able to do; the tool `bash` is refused unless this holds.
   */
  prove(signal: AbortSignal): AsyncResult<ShellProof>
  run(command: ShellCommand, signal: AbortSignal): AsyncResult<ShellOutcome>
}
export const WorkspaceShells = registry<WorkspaceShell>('workspace-shells')
