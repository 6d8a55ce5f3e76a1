import { spawn } from 'node:child_process'
import {
  err,
  failure,
  ok,
  type Failure,
  type Json,
  type Lease,
  type Result,
  onAbort,
} from '@amodal/sdk'
import { killGroup } from './kill-group.ts'
import type { Launcher } from './launcher.ts'
import type { Place } from './place.ts'

export interface Execution {
  /** A line for the shell, or a program with its arguments. */
  readonly command: string | readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  /** Of the session that it is done for: read in the tick that starts it. */
  readonly lease: Lease
}

const MOST_OUTPUT = 1_000_000

/**
 * Runs a command with nothing of our environment but `PATH`. When its time is over, its whole group
 * is.
 */
export async function execute(
  { command, cwd, timeoutMs, lease }: Execution,
  place: Place,
  launcher: Launcher,
  signal: AbortSignal,
): Promise<Result<Json, Failure>> {
  const argv = [
    '/usr/bin/env',
    `PATH=${launcher.options.path()}`,
    'LANG=C.UTF-8',
    ...(typeof command === 'string' ? ['/bin/sh', '-c', command] : command),
  ]
  const wrapped = await launcher.command(argv, { ...place, cwd })
  if (!wrapped.ok) return wrapped
  const { file, args, after } = wrapped.value
  let refused: Failure | undefined
  if (signal.aborted) refused = failure('CANCELLED', 'the call was stopped')
  else if (lease.remainingMs() <= lease.margin)
    refused = failure(
      'LEASE_LOST',
      'the command was not started: this process no longer holds the session',
    )
  if (refused) {
    after?.()
    return err(refused)
  }
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const said = { stdout: '', stderr: '' }
    let stopped: Failure | undefined
    let ended = false
    const stop = (why: Failure): void => {
      stopped ??= why
      killGroup(child)
    }
    const timer = setTimeout(
      () => stop(failure('TIMEOUT', `the command took more than ${timeoutMs} ms`)),
      timeoutMs,
    )
    timer.unref()
    const leave = onAbort(signal, () => stop(failure('CANCELLED', 'the call was stopped')))
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text
        if (said[name].length > MOST_OUTPUT)
          stop(
            failure(
              'TOO_LARGE',
              `the command wrote more than ${MOST_OUTPUT} characters to ${name}`,
            ),
          )
      })
    }
    const end = (result: Result<Json, Failure>): void => {
      clearTimeout(timer)
      leave()
      killGroup(child)
      if (!ended) after?.()
      ended = true
      resolve(result)
    }
    child.once('error', (cause) =>
      end(
        err(failure('TOOL_FAILED', `the command cannot be started: ${cause.message}`, { cause })),
      ),
    )
    // A process that it left behind may hold its output open, so it is not waited for longer than
    // the command itself.
    child.once('exit', (code, by) => {
      const tell = (): void =>
        end(stopped ? err(stopped) : ok({ ...said, exitCode: code ?? (by === null ? null : 128) }))
      const late = setTimeout(tell, 100)
      child.once('close', () => {
        clearTimeout(late)
        tell()
      })
    })
  })
}
