import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { onAbort } from '@amodal/sdk'

/** How a git process ended. */
export interface GitExit {
  /** `null`: it was killed, or never started. */
  readonly code: number | null
  /** What it wrote to stderr, truncated. */
  readonly problem: string
}

const MAX_PROBLEM = 2_000
/** ms between the polite signal, on which git removes most temporary files, and the other one. */
const GRACE_MS = 2_000

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** A git process that leads a group of its own, which ends with it. */
export class GitProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly exited: Promise<GitExit>
  readonly #child: Child
  #running = true

  constructor(child: Child, signal: AbortSignal) {
    this.#child = child
    this.stdin = child.stdin
    this.stdout = child.stdout
    // A process that ends early leaves its input unread, and one that is killed its output.
    child.stdin.on('error', () => undefined)
    child.stdout.on('error', () => undefined)
    let problem = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problem = `${problem}${text}`.slice(0, MAX_PROBLEM)
    })
    const { promise, resolve } = Promise.withResolvers<GitExit>()
    this.exited = promise
    const ended = (code: number | null, cause?: Error): void => {
      this.#running = false
      leave()
      this.#kill('SIGKILL')
      resolve({ code, problem: cause?.message ?? problem.trim() })
    }
    const leave = onAbort(signal, () => this.stop())
    child.once('error', (cause) => ended(null, cause))
    child.once('exit', (code) => ended(code))
  }

  /** Ends the process and all that it has started. */
  stop(): void {
    if (!this.#running) return
    this.#kill('SIGTERM')
    const timer = setTimeout(() => {
      if (this.#running) this.#kill('SIGKILL')
    }, GRACE_MS)
    void this.exited.then(() => clearTimeout(timer))
    // Nobody reads its output from now on; unread output would keep it from ending.
    this.stdout.resume()
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // the group has ended
    }
  }
}
