import type {
  Clock,
  Failure,
  Held,
  InstanceId,
  SessionRef,
  Logger,
  Result,
  SessionStore,
  SetAside,
  AcquiredLease,
} from '@amodal/sdk'
import { sessionKey } from './session-key.ts'
import type { RuntimeSettings } from './settings.ts'

/** Sessions of other owners, or of nobody, that one look takes at most. */
const BATCH = 20
/** Suspects that are let in at once at most. */
const MOST_SUSPECTS = 64

export interface TakeoverParts {
  readonly owner: InstanceId
  readonly clock: Clock
  readonly log: Logger
  readonly settings: RuntimeSettings
  ask<T>(
    work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>>
  /** Sessions that are worked on here. */
  held(): readonly Held[]
  /**
   * Begins to serve it, or hands it back where nothing may begin any more. `asked`: monotonic ms
   * from before it was taken.
   */
  claim(lease: AcquiredLease, requestedAt: number): void
  /** Monotonic ms at which the newest of the runs here began; undefined where there is none. */
  newest(): number | undefined
  changed(ref: SessionRef): void
  /** Its run waits for a person to decide what becomes of it. */
  troubled(ref: SessionRef): void
}

interface Probation {
  readonly keys: Set<string>
  readonly timer: ReturnType<typeof setTimeout>
}
interface Trial {
  readonly key: string
  readonly timer: ReturnType<typeof setTimeout>
}

/**
 * Takes over the sessions that a lost owner left, so that one run which brings its process down
 * does not take others along for ever, and is found.
 *
 * 1. Suspects, the sessions of lost owners, come back in groups that double in size: the next group
 *    begins when all of the
 *    last one have made progress, or have run for `suspectMs`. So a crowd is back soon, and a
 *    crash strikes few.
 * 2. Those that were lost again without progress are put on trial one by one: for at most `trialMs`
 *    nothing else begins here.
 *    What is lost on trial is set aside for a person; what makes progress is a run like any other.
 *
 * Crashes are counted in the store when a session is taken, which is before it runs.
 */
export class Takeovers {
  readonly #parts: TakeoverParts
  #sweeper: ReturnType<typeof setInterval> | undefined
  #looking = false
  /** Resolves when the look in progress is over. */
  currentLook: Promise<void> = Promise.resolve()
  /** There may be something to take that the look in progress has not seen. */
  #wanted = false
  #closed = false
  /** Every owner that was there before this process is lost. */
  #alone = false
  #group = 1
  #probation: Probation | undefined
  #trial: Trial | undefined
  /** A trial waits until the runs here have shown that they are harmless. */
  #awaited: ReturnType<typeof setTimeout> | undefined

  constructor(parts: TakeoverParts) {
    this.#parts = parts
  }

  /** @param alone no other process can reach the storage: whoever owned a session before is lost */
  async start(alone: boolean): Promise<void> {
    this.#alone = alone
    this.#sweeper = setInterval(() => void this.look(), this.#parts.settings.sweepMs)
    this.#sweeper.unref?.()
    await this.look()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#sweeper)
    clearTimeout(this.#awaited)
    clearTimeout(this.#probation?.timer)
    clearTimeout(this.#trial?.timer)
  }

  /**
   * Whether a message may claim its session now. During a trial it waits, for another instance or
   * the end of the trial.
   */
  get claims(): boolean {
    return this.#trial === undefined && this.#awaited === undefined
  }

  /** Takes what can be taken now. */
  async look(): Promise<void> {
    this.#wanted = true
    if (this.#looking || this.#closed || this.#trial) return
    this.#looking = true
    await (this.currentLook = this.#lookOn())
  }

  async #lookOn(): Promise<void> {
    while (this.#wanted && !this.#closed && !this.#trial) {
      this.#wanted = false
      if (await this.#take()) this.#wanted = true
    }
    this.#looking = false
  }

  /** A session that is served here has got further than before. */
  progressed(ref: SessionRef): void {
    const key = sessionKey(ref)
    if (this.#trial?.key === key) this.#endTrial()
    this.#pass(key)
  }

  /**
   * A session is not served here any more, for whatever reason.
   * @param crashes that remain against it
   */
  ended(held: Held, crashes: number): void {
    if (this.#trial?.key === sessionKey(held)) {
      void this.#parts.ask((store, signal) => store.acquit(held, crashes, signal))
      this.#endTrial()
    }
    this.#pass(sessionKey(held))
  }

  /** `true`: there is more to take at once. */
  async #take(): Promise<boolean> {
    const requestedAt = this.#parts.clock.monotonic()
    const quiet = this.#awaited !== undefined && this.#untilQuiet() <= 0
    const found = await this.#parts.ask((store, signal) =>
      store.takeover(this.#parts.owner, this.#wants(quiet), signal),
    )
    if (!found.ok) return false
    const { leases, suspects } = found.value
    if (leases.length === 0 && suspects === 0) this.#alone = false
    const admitted: AcquiredLease[] = []
    for (const lease of leases) if (await this.#serve(lease, requestedAt)) admitted.push(lease)
    this.#admit(admitted)
    const lost = leases.filter(({ suspect }) => suspect).length
    const untaken = quiet && leases.length === 0
    this.#await(suspects > lost && !this.#probation && !this.#trial && !untaken)
    // What was handed back meanwhile is for the next look: whoever hands it back cannot serve it
    // now.
    return !this.#trial && leases.length - lost >= BATCH
  }

  #wants(trial: boolean): Parameters<SessionStore['takeover']>[1] {
    const { settings } = this.#parts
    return {
      marginMs: this.#alone ? -1 : settings.marginMs,
      leaseMs: settings.leaseMs,
      limit: this.#awaited === undefined ? BATCH : 0,
      suspects: this.#probation ? 0 : this.#group,
      trial,
      held: this.#parts.held(),
    }
  }

  /** Begins to serve a session, unless it may not go on. `true`: on probation. */
  async #serve(lease: AcquiredLease, requestedAt: number): Promise<boolean> {
    if (lease.convicted || lease.crashes >= this.#parts.settings.maxCrashes) {
      await this.#setAside(lease)
      return false
    }
    const onTrial = lease.trial && !this.#closed
    if (onTrial) this.#beginTrial(lease)
    this.#parts.claim(lease, requestedAt)
    return lease.suspect && !onTrial
  }

  #admit(leases: readonly AcquiredLease[]): void {
    if (leases.length === 0 || this.#closed) return
    const timer = setTimeout(() => this.#passAll(), this.#parts.settings.suspectMs)
    timer.unref?.()
    this.#probation = { keys: new Set(leases.map(sessionKey)), timer }
  }

  #pass(key: string): void {
    if (this.#probation?.keys.delete(key) && this.#probation.keys.size === 0) this.#passAll()
  }

  #passAll(): void {
    clearTimeout(this.#probation?.timer)
    this.#probation = undefined
    this.#group = Math.min(MOST_SUSPECTS, this.#group * 2)
    void this.look()
  }

  /**
   * Those that are left have to go alone: nothing new begins here until what runs has run for a
   * while.
   */
  #await(needed: boolean): void {
    clearTimeout(this.#awaited)
    this.#awaited = undefined
    if (!needed || this.#closed) return
    this.#awaited = setTimeout(() => void this.look(), Math.max(1, this.#untilQuiet()))
    this.#awaited.unref?.()
  }

  #untilQuiet(): number {
    const newest = this.#parts.newest()
    return newest === undefined
      ? 0
      : newest + this.#parts.settings.trialMs - this.#parts.clock.monotonic()
  }

  #beginTrial(lease: AcquiredLease): void {
    this.#parts.log.warn('run_on_trial', { session: lease.session, crashes: lease.crashes })
    const timer = setTimeout(() => {
      void this.#parts.ask((store, signal) => store.acquit(lease, lease.crashes, signal))
      this.#endTrial()
    }, this.#parts.settings.trialMs)
    timer.unref?.()
    this.#trial = { key: sessionKey(lease), timer }
  }

  #endTrial(): void {
    clearTimeout(this.#trial?.timer)
    this.#trial = undefined
    void this.look()
  }

  async #setAside(lease: AcquiredLease): Promise<void> {
    const { clock, log } = this.#parts
    const message = `it stopped its server ${lease.crashes} times without getting any further${lease.convicted ? ', the last time while nothing else began beside it' : ''}`
    const why: SetAside = {
      code: 'RUN_SET_ASIDE',
      message,
      crashes: lease.crashes,
      at: clock.now(),
    }
    const done = await this.#parts.ask((store, signal) => store.setAside(lease, why, signal))
    if (!done.ok || !done.value) return // its lease lapses, and whoever takes it next tries again
    log.error('run_set_aside', { session: lease.session, crashes: lease.crashes, error: message })
    this.#parts.changed(lease)
    this.#parts.troubled(lease)
  }
}
