import { err, failure, ok, type Failure, type Result, onAbort } from '@amodal/sdk'
import type { HandlerProcess, Helper, Job, LoadFailure, Outcome } from './handler-process.ts'

export interface PoolLimits {
  /** Processes at a time. */
  readonly processes: number
  /** ms that one waits for its next call. */
  readonly idleMs: number
  /** Calls until one is exchanged. */
  readonly callsEach: number
}

/** Which processes are interchangeable: equal code, variables and tenant. */
export interface Kind {
  readonly key: string
  readonly digest: string
  start(signal: AbortSignal): Promise<Result<HandlerProcess, LoadFailure>>
}

interface Idle {
  readonly kind: Kind
  readonly process: HandlerProcess
  readonly timer: ReturnType<typeof setTimeout>
}

/**
 * A pool of warm handler processes. A call waits in a queue while all processes are busy.
 */
export class HandlerPool {
  readonly #limits: PoolLimits
  /** The longest idle first. */
  #idle: Idle[] = []
  readonly #all = new Set<HandlerProcess>()
  readonly #line: (() => void)[] = []
  readonly #starting = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #busy = 0

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  get processes(): number {
    return this.#all.size
  }

  async run(
    kind: Kind,
    job: Job,
    helper: Helper,
    signal: AbortSignal,
  ): Promise<Result<Outcome, Failure>> {
    const entered = await this.#enter(signal)
    if (!entered.ok) return entered
    try {
      const found = await this.#take(kind, signal)
      if (!found.ok) return found
      const outcome = await found.value.call(job, this.#outsideLine(helper), signal)
      this.#giveBack(kind, found.value)
      return ok(outcome)
    } finally {
      this.#leave()
    }
  }

  /** Ends processes whose code is no longer part of the agent. */
  keep(digests: ReadonlySet<string>): void {
    for (const one of this.#idle.filter(({ kind }) => !digests.has(kind.digest))) this.#drop(one)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server stops'))
    for (const one of this.#idle) clearTimeout(one.timer)
    this.#idle = []
    const all = [...this.#all]
    for (const one of all) one.kill('the server stops')
    for (const wake of this.#line.splice(0)) wake()
    await Promise.all([...this.#starting, ...all.map(({ ended }) => ended)])
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted
  }

  /**
   * A handler that calls another one gives its place in line to it: otherwise all of them could
   * wait for each other.
   */
  #outsideLine(helper: Helper): Helper {
    return {
      notify: (what) => helper.notify(what),
      get time() {
        return helper.time
      },
      request: async (what) => {
        // What is called may need a process of its own.
        if (what.op !== 'tool' && what.op !== 'subagent') return helper.request(what)
        this.#leave()
        try {
          return await helper.request(what)
        } finally {
          this.#busy++
        }
      },
    }
  }

  #enter(signal: AbortSignal): Promise<Result<void, Failure>> {
    const refusal = (): Result<void, Failure> | undefined => {
      if (this.#closed) return err(failure('KERNEL_CLOSED', 'the server is stopping'))
      return signal.aborted ? err(failure('CANCELLED', 'the call was stopped')) : undefined
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        const refused = refusal()
        if (!refused) this.#busy++
        resolve(refused ?? ok(undefined))
      }
      if (refusal() || this.#busy < this.#limits.processes) return enter()
      const give = (): void => {
        leave()
        enter()
      }
      const leave = onAbort(signal, () => {
        this.#line.splice(this.#line.indexOf(give), 1)
        enter()
      })
      this.#line.push(give)
    })
  }

  #leave(): void {
    this.#busy--
    if (this.#busy < this.#limits.processes) this.#line.shift()?.()
  }

  async #take(kind: Kind, signal: AbortSignal): Promise<Result<HandlerProcess, LoadFailure>> {
    const warm = this.#idle.findLast((one) => one.kind.key === kind.key && !one.process.dead)
    if (warm) {
      clearTimeout(warm.timer)
      this.#idle = this.#idle.filter((one) => one !== warm)
      return ok(warm.process)
    }
    const [longest] = this.#idle
    if (longest && this.#all.size >= this.#limits.processes) this.#drop(longest)
    const starting = kind.start(AbortSignal.any([signal, this.#closing.signal])).then((started) => {
      if (started.ok) this.#remember(started.value)
      return started
    })
    this.#starting.add(starting)
    try {
      return await starting
    } finally {
      this.#starting.delete(starting)
    }
  }

  #remember(process: HandlerProcess): void {
    this.#all.add(process)
    void process.ended.then(() => this.#forget(process))
  }

  #giveBack(kind: Kind, process: HandlerProcess): void {
    if (process.dead) return
    if (this.#closed || process.calls >= this.#limits.callsEach)
      return process.kill('it has done its work')
    const timer = setTimeout(() => this.#drop(idle), this.#limits.idleMs)
    timer.unref()
    const idle: Idle = { kind, process, timer }
    this.#idle.push(idle)
  }

  #drop(idle: Idle): void {
    clearTimeout(idle.timer)
    this.#idle = this.#idle.filter((one) => one !== idle)
    idle.process.kill('it is not needed any more')
  }

  #forget(process: HandlerProcess): void {
    this.#all.delete(process)
    for (const one of this.#idle.filter((idle) => idle.process === process)) this.#drop(one)
  }
}
