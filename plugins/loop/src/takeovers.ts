import type {
  Clock,
  Failure,
  Held,
  InstanceId,
  LaneRef,
  Logger,
  Result,
  SessionStore,
  SetAside,
  TakenLane,
} from '@amodal/sdk'
import { laneKey } from './lane-key.ts'
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
  claim(lane: TakenLane, asked: number): void
  /** Monotonic ms at which the newest of the runs here began; undefined where there is none. */
  newest(): number | undefined
  changed(ref: LaneRef): void
  /** Its run waits for a person to decide what becomes of it. */
  troubled(ref: LaneRef): void
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
  looked: Promise<void> = Promise.resolve()
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
    await (this.looked = this.#lookOn())
  }

  async #lookOn(): Promise<void> {
    while (this.#wanted && !this.#closed && !this.#trial) {
      this.#wanted = false
      if (await this.#take()) this.#wanted = true
    }
    this.#looking = false
  }

  /** A session that is served here has got further than before. */
  progressed(ref: LaneRef): void {
    const key = laneKey(ref)
    if (this.#trial?.key === key) this.#endTrial()
    this.#pass(key)
  }

  /**
   * A session is not served here any more, for whatever reason.
   * @param crashes that remain against it
   */
  ended(held: Held, crashes: number): void {
    if (this.#trial?.key === laneKey(held)) {
      void this.#parts.ask((store, signal) => store.acquit(held, crashes, signal))
      this.#endTrial()
    }
    this.#pass(laneKey(held))
  }

  /** `true`: there is more to take at once. */
  async #take(): Promise<boolean> {
    const { owner, clock, settings } = this.#parts
    const asked = clock.monotonic()
    const quiet = this.#awaited !== undefined && this.#untilQuiet() <= 0
    const found = await this.#parts.ask((store, signal) =>
      store.takeover(
        owner,
        {
          marginMs: this.#alone ? -1 : settings.marginMs,
          leaseMs: settings.leaseMs,
          limit: this.#awaited === undefined ? BATCH : 0,
          suspects: this.#probation ? 0 : this.#group,
          trial: quiet,
          held: this.#parts.held(),
        },
        signal,
      ),
    )
    if (!found.ok) return false
    const { lanes, suspects } = found.value
    if (lanes.length === 0 && suspects === 0) this.#alone = false
    const admitted: TakenLane[] = []
    for (const lane of lanes) {
      if (lane.convicted || lane.crashes >= settings.maxCrashes) await this.#setAside(lane)
      else {
        if (lane.trial && !this.#closed) this.#beginTrial(lane)
        else if (lane.suspect) admitted.push(lane)
        this.#parts.claim(lane, asked)
      }
    }
    if (admitted.length > 0 && !this.#closed) this.#admit(admitted)
    const lost = lanes.filter(({ suspect }) => suspect).length
    const left = suspects - lost
    this.#await(left > 0 && !this.#probation && !this.#trial && !(quiet && lanes.length === 0))
    // What was handed back meanwhile is for the next look: whoever hands it back cannot serve it
    // now.
    return !this.#trial && lanes.length - lost >= BATCH
  }

  #admit(lanes: readonly TakenLane[]): void {
    const timer = setTimeout(() => this.#passAll(), this.#parts.settings.suspectMs)
    timer.unref?.()
    this.#probation = { keys: new Set(lanes.map(laneKey)), timer }
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

  #beginTrial(lane: TakenLane): void {
    this.#parts.log.warn('run_on_trial', { session: lane.session, crashes: lane.crashes })
    const timer = setTimeout(() => {
      void this.#parts.ask((store, signal) => store.acquit(lane, lane.crashes, signal))
      this.#endTrial()
    }, this.#parts.settings.trialMs)
    timer.unref?.()
    this.#trial = { key: laneKey(lane), timer }
  }

  #endTrial(): void {
    clearTimeout(this.#trial?.timer)
    this.#trial = undefined
    void this.look()
  }

  async #setAside(lane: TakenLane): Promise<void> {
    const { clock, log } = this.#parts
    const message = `it stopped its server ${lane.crashes} times without getting any further${lane.convicted ? ', the last time while nothing else began beside it' : ''}`
    const why: SetAside = { code: 'RUN_SET_ASIDE', message, crashes: lane.crashes, at: clock.now() }
    const done = await this.#parts.ask((store, signal) => store.setAside(lane, why, signal))
    if (!done.ok || !done.value) return // its lease lapses, and whoever takes it next tries again
    log.error('run_set_aside', { session: lane.session, crashes: lane.crashes, error: message })
    this.#parts.changed(lane)
    this.#parts.troubled(lane)
  }
}
