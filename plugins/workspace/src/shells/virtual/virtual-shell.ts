import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { err, ok, type AsyncResult } from '@amodal/sdk'
import { WorkspaceShellUnavailable } from '../../errors.ts'
import type { ShellCommand, ShellOutcome, ShellProof, WorkspaceShell } from '../../tokens.ts'
import { readFiles, writeChanges, type VirtualFiles } from './virtual-files.ts'
import type { VirtualEnd, VirtualTask } from './virtual-run.ts'

const PACKAGE = 'just-bash'
const MEMORY_MB = 512
const PROOF_MS = 30_000
/** ms beyond those of a command, in which the library ends it by itself. */
const GRACE_MS = 1_000
/** A thread is started by its path. */
const ENTRY = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'virtual-worker.ts' : 'virtual-worker.js',
)
/** Of the thread, so that a command that sees its environment is known by it. */
const VARIABLE = 'CANARY'
const NOTHING: VirtualFiles = { folders: [], links: [], files: [] }

type Ended = VirtualEnd | { readonly kind: 'timeout' }

/**
 * Runs commands in an interpreter of bash that starts no program: over a copy of the files in
 * memory, in a thread of its own. What a command has changed is written when it has ended; a
 * command that was ended has changed nothing.
 */
export class VirtualShell implements WorkspaceShell {
  readonly level = 'virtual'
  #proof: AsyncResult<ShellProof> | undefined

  /** What holds is remembered; what failed is tried again, since a busy machine may be the reason. */
  async prove(): AsyncResult<ShellProof> {
    this.#proof ??= prove()
    const proof = await this.#proof
    if (!proof.ok) this.#proof = undefined
    return proof
  }

  async run(
    { command, workspace, timeoutMs, outputChars, quota }: ShellCommand,
    signal: AbortSignal,
  ): AsyncResult<ShellOutcome> {
    const files = await readFiles(workspace.files, quota, signal)
    if (!files.ok) return files
    const task = { command, files: files.value, quota, timeoutMs, outputChars }
    const end = await inThread(task, signal)
    if (end.kind !== 'exited') {
      const message = end.kind === 'timeout' ? 'its changes were dropped' : end.message
      return ok({ exitCode: null, stdout: '', stderr: '', reason: end.kind, message })
    }
    const { exitCode, stdout, stderr, changes } = end
    const written = await writeChanges(workspace.files, changes)
    return written.ok ? ok({ exitCode, stdout, stderr, reason: 'exited' }) : written
  }
}

/**
 * What would show that a command reaches the machine: a file of it, a variable of the thread, a
 * program, a connection.
 */
async function prove(): AsyncResult<ShellProof> {
  const command = `cat '${import.meta.filename}'; printenv ${VARIABLE}; '${process.execPath}' --version; cat < /dev/tcp/127.0.0.1/1 && echo connected`
  const task = {
    command,
    files: NOTHING,
    quota: { bytes: 1_048_576, files: 100 },
    timeoutMs: PROOF_MS,
    outputChars: 1_000,
  }
  const end = await inThread(task, AbortSignal.timeout(PROOF_MS + GRACE_MS))
  if (end.kind !== 'exited') {
    const why = end.kind === 'timeout' ? 'it did not end' : end.message
    return err(
      WorkspaceShellUnavailable(
        why.includes(PACKAGE) ? `install the package ${PACKAGE} beside the server: ${why}` : why,
      ),
    )
  }
  return end.stdout === ''
    ? ok({ level: 'virtual', message: 'commands run in an interpreter, over files in memory' })
    : err(WorkspaceShellUnavailable(`a command has reached the machine: ${end.stdout}`))
}

function inThread(task: VirtualTask, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const worker = new Worker(ENTRY, {
      workerData: task,
      env: { [VARIABLE]: 'reached' },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const end = (ended: Ended): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(ended)
      void worker.terminate()
    }
    const stop = (): void => end({ kind: 'stopped', message: 'the call was stopped' })
    const timer = setTimeout(() => end({ kind: 'timeout' }), task.timeoutMs + GRACE_MS)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    worker.once('message', (ended: VirtualEnd) => end(ended))
    worker.once('error', (cause: Error) => end({ kind: 'failed', message: cause.message }))
    worker.once('exit', () => end({ kind: 'failed', message: 'the thread has ended' }))
  })
}
