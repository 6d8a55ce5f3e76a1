import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Row } from '@amodal/sdk'
import type { Order, Passed, Point, Report } from './control.ts'

export interface ServerOptions {
  readonly dir: string
  readonly preset: 'dev' | 'production'
  /** Address of the outside server. */
  readonly outside: string
  /** Tells several servers of one database apart. */
  readonly name: string
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Where Node keeps what it has compiled, so that a start takes half the time. */
const COMPILED = join(tmpdir(), 'node-compile-cache')

type Answer = Extract<Report, { readonly n: number }>

/** A server in a process of its own (`server.ts`), as the tests see it. */
export class ServerProcess {
  readonly name: string
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>
  readonly #child: ChildProcess
  readonly #reached = new Map<string, PromiseWithResolvers<void>>()
  readonly #seen = new Set<string>()
  readonly #asked = new Map<number, (answer: Answer) => void>()
  readonly #loaded = Promise.withResolvers<void>()
  readonly #started = Promise.withResolvers<string>()
  #url: string | undefined
  #stopped = false
  #said = ''
  #count = 0

  constructor({ dir, preset, outside, name, env = {} }: ServerOptions) {
    this.name = name
    const flags = Object.entries({ dir, preset, outside, name }).flatMap(([flag, value]) => [
      `--${flag}`,
      value,
    ])
    this.#child = spawn(
      process.execPath,
      [fileURLToPath(new URL('server.ts', import.meta.url)), ...flags],
      {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env },
      },
    )
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said = (this.#said + chunk).slice(-20_000)
    })
    this.#child.on('message', (report: Report) => this.#hear(report))
    this.#child.on('error', () => undefined) // an order to a process that is gone
    this.exited = once(this.#child, 'exit').then(() =>
      this.#started.reject(new Error(`the server ended before it was ready:\n${this.#said}`)),
    )
    this.#started.promise.catch(() => undefined) // whoever waits for it hears of it
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }
  /** Resolves when the process has loaded what it needs to start. */
  get loaded(): Promise<void> {
    return this.#loaded.promise
  }
  get gone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }
  /** Serves now, as far as anybody can tell. */
  get serves(): boolean {
    return this.#url !== undefined && !this.gone && !this.#stopped
  }
  /** What it wrote to its log last. */
  get said(): string {
    return this.#said
  }
  get url(): string {
    if (this.#url === undefined) throw new Error('the server is not ready')
    return this.#url
  }

  async start(points: readonly Point[] = []): Promise<void> {
    this.arm(points)
    this.#order({ do: 'start' })
    this.#url = await this.#started.promise
  }

  arm(points: readonly Point[]): void {
    if (points.length > 0) this.#order({ do: 'arm', points })
  }

  release(id: string): void {
    this.#order({ do: 'release', id })
  }

  /** Resolves when the point is reached. */
  reached(id: string): Promise<void> {
    return this.#mark(id).promise
  }

  hasReached(id: string): boolean {
    return this.#seen.has(id)
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const answer = await this.#ask((n) => ({ do: 'query', n, sql, parameters }))
    if (answer.told !== 'rows')
      throw new Error(answer.told === 'no rows' ? answer.message : 'no rows')
    return answer.rows
  }

  async trace(marker: string): Promise<readonly Passed[]> {
    const answer = await this.#ask((n) => ({ do: 'trace', n, marker }))
    if (answer.told !== 'trace') throw new Error('no trace')
    return answer.passed
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.exited
  }

  /** Asks it to finish. @returns whether it went within so many ms; if not it was killed */
  async stop(ms: number): Promise<boolean> {
    this.#stopped = true // it takes nothing new
    this.#child.kill('SIGTERM')
    const isGone = await Promise.race([
      this.exited.then(() => true),
      sleep(ms, false, { ref: false }),
    ])
    if (!isGone) await this.kill()
    return isGone
  }

  lose(when: Point['when'], times: number): void {
    this.#order({ do: 'lose', when, times })
  }

  jump(wallMs: number, monotonicMs: number): void {
    this.#order({ do: 'jump', wallMs, monotonicMs })
  }

  /** Stops it in its tracks; it notices nothing. */
  freeze(): void {
    this.#stopped = true
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
    this.#stopped = false
  }

  async #ask(order: (n: number) => Order): Promise<Answer> {
    const n = ++this.#count
    const answer = Promise.withResolvers<Answer>()
    this.#asked.set(n, answer.resolve)
    this.#order(order(n))
    void this.exited.then(() => answer.reject(new Error('the server is gone')))
    return answer.promise
  }

  #order(order: Order): void {
    // one that dies just then is seen to be gone
    if (this.#child.connected) this.#child.send(order, () => undefined)
  }

  #hear(report: Report): void {
    switch (report.told) {
      case 'loaded':
        return this.#loaded.resolve()
      case 'ready':
        return this.#started.resolve(report.url)
      case 'failed':
        return this.#started.reject(new Error(report.message))
      case 'reached': {
        this.#seen.add(report.id)
        return this.#mark(report.id).resolve()
      }
      case 'rows':
      case 'no rows':
      case 'trace': {
        this.#asked.get(report.n)?.(report)
        this.#asked.delete(report.n)
        return
      }
      default:
        return report satisfies never
    }
  }

  #mark(id: string): PromiseWithResolvers<void> {
    const mark = this.#reached.get(id) ?? Promise.withResolvers<void>()
    this.#reached.set(id, mark)
    return mark
  }
}
