import {
  ok,
  timeLimit,
  type Failure,
  type Logger,
  type Result,
  type SequencedEntry,
  type SessionRef,
} from '@amodal/sdk'
import type { JournalReader } from './journal-reader.ts'
import type { Forgotten, UsageStore } from './report.ts'
import { MAIN_AGENT, type StoredRun } from './run-usage.ts'
import { usageOf } from './usage-of.ts'

/** ms for which ended runs are gathered. */
const GATHER_MS = 1_000
const RETRY_MS = 2_000
const WRITE_MS = 15_000
/** Runs of one statement, and runs that wait while the database is away. */
const MOST_AT_ONCE = 200
const MOST_WAITING = 20_000
/** Sessions whose newest run this process remembers. */
const MOST_SESSIONS = 10_000

/** A run whose end is committed. */
export interface EndedRun extends SessionRef {
  readonly entries: readonly SequencedEntry[]
  /** It may be that of a sub-agent. */
  readonly isDelegated: boolean
  readonly profile: string | null
}

interface Waiting {
  readonly run: StoredRun
  readonly ref: SessionRef
  readonly isDelegated: boolean
  /** The last entry before it. */
  readonly from: number
}

/**
 * Writes a row for each run that ends in this process: gathered, and after the turn. The rows of a
 * session are written in the order of its journal and without a gap, so that the newest one says
 * up to where the journal is counted.
 */
export class Recorder {
  readonly #store: UsageStore
  readonly #journal: JournalReader
  readonly #log: Logger
  readonly #onCounted: (tenants: ReadonlySet<string>) => void
  readonly #waiting: Waiting[] = []
  /** Number of the entry that ended the newest run of a session. */
  readonly #newest = new Map<string, number>()
  /** What was erased while a batch was being written, which may have its rows. */
  readonly #erased: Forgotten[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> | undefined
  #isFailing = false

  constructor(parts: {
    readonly store: UsageStore
    readonly journal: JournalReader
    readonly log: Logger
    readonly onCounted: (tenants: ReadonlySet<string>) => void
  }) {
    this.#onCounted = parts.onCounted
    this.#store = parts.store
    this.#journal = parts.journal
    this.#log = parts.log
  }

  add({ tenant, session, entries, isDelegated, profile }: EndedRun): void {
    const usage = usageOf(entries, { session, agent: MAIN_AGENT, profile })
    if (!usage) return
    const from = (entries[0]?.seq ?? 1) - 1
    this.#waiting.push({
      run: { ...usage, tenant },
      ref: { tenant, session },
      isDelegated,
      from,
    })
    if (this.#waiting.length > MOST_WAITING) this.#drop()
    if (this.#waiting.length >= MOST_AT_ONCE) void this.#write()
    else this.#later(GATHER_MS)
  }

  /** Writes what waits. What cannot be written now is found in the journal at the next start. */
  async flush(): Promise<void> {
    for (let tries = 0; tries < 3 && (this.#writing || this.#hasWork()); tries++)
      await (this.#writing ?? this.#write())
  }

  /**
   * Drops what waits of a person and of these sessions. What is being written is removed once it is
   * written: whoever erases has a transaction open, for which that write may have to wait.
   */
  forget(erased: Forgotten): void {
    const { principal, sessions, tenant } = erased
    if (this.#writing) this.#erased.push(erased)
    const named = new Set(sessions.map((one) => JSON.stringify([one.tenant, one.session])))
    const remaining = this.#waiting.filter(
      ({ ref, run }) =>
        !named.has(keyOf(ref)) &&
        (run.principal !== principal || (tenant !== null && run.tenant !== tenant)),
    )
    this.#waiting.splice(0, this.#waiting.length, ...remaining)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #later(ms: number): void {
    if (this.#timer || this.#writing) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#write()
    }, ms)
    this.#timer.unref()
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#writeBatch().then((written) => {
      this.#writing = undefined
      if (this.#hasWork()) this.#later(written ? 0 : RETRY_MS)
    })
    return this.#writing
  }

  #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#erased.length > 0
  }

  /** @returns whether the batch was written */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, MOST_AT_ONCE)
    const limit = timeLimit(WRITE_MS, 'writing usage')
    const runs = await this.#complete(batch, limit)
    const added = runs.ok ? await this.#addAndErase(runs.value, limit) : runs
    if (!added.ok) {
      this.#waiting.unshift(...batch)
      if (!this.#isFailing) this.#log.warn('usage.not_written', { message: added.error.message })
      this.#isFailing = true
      return false
    }
    this.#isFailing = false
    for (const { ref, run } of batch) this.#remember(keyOf(ref), run.seq)
    this.#onCounted(new Set(batch.map(({ ref }) => ref.tenant)))
    return true
  }

  async #addAndErase(
    runs: readonly StoredRun[],
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const added = runs.length > 0 ? await this.#store.add(runs, signal) : ok(undefined)
    if (!added.ok) return added
    for (let [next] = this.#erased; next; [next] = this.#erased) {
      const erased = await this.#store.erase(next, signal)
      if (!erased.ok) return erased
      this.#erased.shift()
    }
    return ok(undefined)
  }

  /** The runs of a batch with their agents, and earlier ones that another process did not write. */
  async #complete(
    batch: readonly Waiting[],
    signal: AbortSignal,
  ): Promise<Result<readonly StoredRun[], Failure>> {
    const newest = new Map<string, number>()
    const runs: StoredRun[] = []
    for (const { ref, run, isDelegated, from } of batch) {
      const key = keyOf(ref)
      const known = newest.get(key) ?? this.#newest.get(key)
      newest.set(key, run.seq)
      if (from !== 0 && known !== from) {
        const missing = await this.#journal.missing(ref, { upto: from }, signal)
        if (!missing.ok) return missing
        runs.push(...missing.value)
      }
      const agent = isDelegated ? await this.#journal.agentOf(ref, signal) : ok(MAIN_AGENT)
      if (!agent.ok) return agent
      runs.push({ ...run, agent: agent.value })
    }
    return ok(runs)
  }

  #remember(key: string, seq: number): void {
    this.#newest.delete(key)
    this.#newest.set(key, seq)
    const [oldest] = this.#newest.keys()
    if (this.#newest.size > MOST_SESSIONS && oldest !== undefined) this.#newest.delete(oldest)
  }

  #drop(): void {
    const dropped = this.#waiting.shift()
    if (!dropped) return
    this.#newest.delete(keyOf(dropped.ref))
    this.#log.warn('usage.dropped', {
      run: dropped.run.run,
      message: 'too many runs wait to be counted: this one is taken from the journal later',
    })
  }
}

const keyOf = ({ tenant, session }: SessionRef): string => JSON.stringify([tenant, session])
