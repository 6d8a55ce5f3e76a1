import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  atMost,
  err,
  failure,
  messageOf,
  ok,
  onAbort,
  type Failure,
  type Result,
} from '@amodal/sdk'
import type { Isolation } from '../isolation.ts'
import type { Program, ProgramEnd, ProgramSandbox, RunningProgram } from '../tokens.ts'
import { killGroup } from './kill-group.ts'
import type { Command } from './launcher.ts'

/** ms in which output is read that was written before the end. */
const OUTPUT_MS = 200

/** Runs programs in the sandbox of an isolation that is required. */
export class Programs implements ProgramSandbox {
  readonly #isolation: Isolation
  readonly #running = new Set<Running>()
  #closed = false

  /** @param isolation with `isolation: 'required'` and without network */
  constructor(isolation: Isolation) {
    this.#isolation = isolation
  }

  async prove(): Promise<Result<{ readonly sandbox: string }, Failure>> {
    const proof = await this.#isolation.prove()
    return proof.ok ? ok({ sandbox: proof.value.sandbox }) : proof
  }

  async start(program: Program, signal: AbortSignal): Promise<Result<RunningProgram, Failure>> {
    const proof = await this.prove()
    if (!proof.ok) return proof
    const { launcher } = this.#isolation.handlers
    const [name = '', ...args] = program.argv
    const file = name.startsWith('/') ? name : launcher.find(name)
    if (file === undefined)
      return err(failure('NOT_FOUND', `the program "${name}" is not installed on this machine`))
    const { cwd, readable, writable, env, processes, fileBytes, account } = program
    // The variables are arguments, so that they cannot affect the programs of the sandbox.
    const argv = [
      '/usr/bin/env',
      '-i',
      ...Object.entries(env).map(([variable, value]) => `${variable}=${value}`),
      file,
      ...args,
    ]
    const command = await launcher.command(
      argv,
      { cwd, readable, writable },
      { limits: { processes, fileBytes }, ...(account !== undefined && { account }) },
    )
    if (!command.ok) return command
    const refusal = this.#refusal(signal)
    if (refusal) {
      command.value.after?.()
      return err(refusal)
    }
    const running = new Running(command.value, program.timeoutMs, signal)
    this.#running.add(running)
    void running.ended.then(() => this.#running.delete(running))
    return ok(running)
  }

  async close(): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    for (const one of running) one.stop('the server stops')
    await Promise.all(running.map(({ ended }) => ended))
    await this.#isolation.close()
  }

  #refusal(signal: AbortSignal): Failure | undefined {
    if (this.#closed) return failure('KERNEL_CLOSED', 'the server is stopping')
    return signal.aborted ? failure('CANCELLED', 'the call was stopped') : undefined
  }
}

class Running implements RunningProgram {
  readonly stdout: RunningProgram['stdout']
  readonly stderr: RunningProgram['stderr']
  readonly ended: Promise<ProgramEnd>
  readonly #child: ChildProcess
  #stopped: Pick<ProgramEnd, 'reason' | 'message'> | undefined

  constructor({ file, args, after }: Command, timeoutMs: number, signal: AbortSignal) {
    const child = spawn(file, args, {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#child = child
    this.stdout = child.stdout
    this.stderr = child.stderr
    const timer = setTimeout(
      () => this.#stop({ reason: 'timeout', message: `it took more than ${timeoutMs} ms` }),
      timeoutMs,
    )
    timer.unref()
    const unsubscribe = onAbort(signal, () => this.stop('the call was stopped'))
    const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
    let settled = false
    const settle = (end: ProgramEnd): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      unsubscribe()
      killGroup(child)
      after?.()
      resolve({ ...end, ...this.#stopped })
    }
    child.once('error', (cause) =>
      settle({ exitCode: null, reason: 'failed', message: messageOf(cause) }),
    )
    child.once('exit', (exitCode) => {
      // A process outside of the group could hold the output open.
      void atMost(
        OUTPUT_MS,
        once(child, 'close').catch(() => undefined),
      ).then(() => settle({ exitCode, reason: 'exited' }))
    })
    this.ended = promise
  }

  stop(message: string): void {
    this.#stop({ reason: 'stopped', message })
  }

  #stop(why: Pick<ProgramEnd, 'reason' | 'message'>): void {
    this.#stopped ??= why
    killGroup(this.#child)
  }
}
