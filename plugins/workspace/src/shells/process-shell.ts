import { setTimeout as wait } from 'node:timers/promises'
import { ok, type AsyncResult } from '@amodal/sdk'
import type { ProgramSandbox, RunningProgram } from '@amodal/plugin-tools-custom/tokens'
import type { WorkspaceFiles } from '../gate/workspace-files.ts'
import { walk } from '../session/walk.ts'
import type { Quota } from '../snapshots/scan.ts'
import type { ShellCommand, ShellOutcome, ShellProof, WorkspaceShell } from '../tokens.ts'
import { KeptOutput } from './kept-output.ts'

/** Where a command finds the files. */
const AT = '/workspace'
const PATHS = '/usr/local/bin:/usr/bin:/bin'
const PROCESSES = 128
/** ms between two looks at the size of a workspace while a command runs; more where one is slow. */
const LOOK_MS = 250
const LOOK_SHARE = 10

/** Runs `bash` in the sandbox for programs: real programs, without network. */
export class ProcessShell implements WorkspaceShell {
  readonly level = 'process'
  readonly #sandbox: ProgramSandbox

  constructor(sandbox: ProgramSandbox) {
    this.#sandbox = sandbox
  }

  async prove(): AsyncResult<ShellProof> {
    const proof = await this.#sandbox.prove()
    return proof.ok
      ? ok({ level: this.level, message: `commands run in ${proof.value.sandbox}` })
      : proof
  }

  async run(
    { command, workspace, timeoutMs, outputChars, quota, account }: ShellCommand,
    signal: AbortSignal,
  ): AsyncResult<ShellOutcome> {
    const started = await this.#sandbox.start(
      {
        argv: ['bash', '-c', command],
        cwd: AT,
        readable: [],
        writable: [{ path: workspace.folder, at: AT }],
        env: { PATH: PATHS, HOME: AT, LANG: 'C.UTF-8', TERM: 'dumb' },
        timeoutMs,
        processes: PROCESSES,
        fileBytes: quota.bytes,
        account,
      },
      signal,
    )
    if (!started.ok) return started
    const running = started.value
    const watched = new AbortController()
    const watch = this.#watch(running, workspace.files, quota, watched.signal)
    const [stdout, stderr, end] = await Promise.all([
      new KeptOutput(outputChars).read(running.stdout),
      new KeptOutput(outputChars).read(running.stderr),
      running.ended,
    ])
    watched.abort()
    await watch
    return ok({ ...end, stdout: String(stdout), stderr: String(stderr) })
  }

  /** Ends a command that fills the workspace. */
  async #watch(
    running: RunningProgram,
    files: WorkspaceFiles,
    quota: Quota,
    until: AbortSignal,
  ): Promise<void> {
    while (!until.aborted) {
      const begun = performance.now()
      if (await isFull(files, quota, until))
        return running.stop('the workspace is full: it holds more than its quota')
      const ms = Math.max(LOOK_MS, (performance.now() - begun) * LOOK_SHARE)
      await wait(ms, undefined, { signal: until }).catch(() => undefined)
    }
  }
}

async function isFull(files: WorkspaceFiles, quota: Quota, until: AbortSignal): Promise<boolean> {
  let bytes = 0
  let count = 0
  try {
    for await (const { kind, size } of walk(files, '.', { most: quota.files + 1, signal: until })) {
      count++
      if (kind === 'file') bytes += size
      if (bytes > quota.bytes || count > quota.files) return true
    }
  } catch {
    // The command has ended, and with it the look.
  }
  return false
}
