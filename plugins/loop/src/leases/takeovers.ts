import type {
  Clock,
  Failure,
  HeldSession,
  InstanceId,
  SessionCounts,
  SessionRef,
  Logger,
  Result,
  SessionStore,
  SetAside,
  AcquiredSession,
} from '@amodal/sdk'
import { sessionKey } from '../sessions/session-key.ts'
import type { RuntimeSettings } from '../settings.ts'

/** The most sessions to take over in one request. */
const BATCH = 20
/** The most suspects to resume at once. */
const MOST_SUSPECTS = 64

export interface TakeoverParts {
  readonly owner: InstanceId
  readonly clock: Clock
  readonly log: Logger
  readonly settings: RuntimeSettings
  callStore<T>(
    work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>>
  /** The sessions that are served here. */
  held(): readonly HeldSession[]
  /**
   * Serves the session, or returns it if the loop is closing. `requestedAt`: monotonic ms before
   * the request.
   */
  serve(sessionRecord: AcquiredSession, requestedAt: number): void
  /** Monotonic ms at which the newest run here began; `undefined` without one. */
  newest(): number | undefined
  changed(ref: SessionRef): void
  /** Called when a run is set aside for a person to decide. */
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
 * Takes over the sessions of lost owners. Identifies a run that crashes its process, so that it
 * does not interrupt other runs repeatedly.
 *
 * 1. Suspects, the sessions of lost owners, resume in groups that double in size. A group is on
 * probation: the next one begins when every session of it has made progress or has run for
 * `suspectMs`. Many sessions resume soon, and a crash affects few.
 * 2. A suspect that has crashed before without progress resumes after those that have not: while
 * there are more than eight, in groups of eight at most; then alone, on trial. During a trial, for
 * at most `trialMs`, nothing else begins in this process. A run that crashes during its trial is
 * set aside for a person; one that makes progress is no longer a suspect.
 *
 * The store counts crashes when a session is acquired, before it runs, and chooses which suspects
 * come next. A takeover also brings sessions without a lost owner: those that their owner returned,
 * and those without an owner that have work or an expired question. `limit` counts them.
 */
export class Takeovers {
  readonly #parts: TakeoverParts
  #sweeper: ReturnType<typeof setInterval> | undefined
  #isSearching = false
  /** Resolves when the current takeover requests are done. */
  currentSearch: Promise<void> = Promise.resolve()
  /** Sessions may have become available since the current request. */
  #isSearchDue = false
  #closed = false
  #takenOver = 0
  #setAsideCount = 0
  /** Whether every owner but this process is lost. */
  #allOwnersLost = false
  #groupSize = 1
  #probation: Probation | undefined
  #trial: Trial | undefined
  /** A trial that begins when the current runs have proved harmless; its timer searches then. */
  #awaitedTrial: { readonly timer: ReturnType<typeof setTimeout> } | undefined

  constructor(parts: TakeoverParts) {
    this.#parts = parts
  }

  /** @param allOwnersLost no other process can reach the storage: all previous owners are lost */
  async start(allOwnersLost: boolean): Promise<void> {
    this.#allOwnersLost = allOwnersLost
    this.#sweeper = setInterval(() => void this.search(), this.#parts.settings.sweepMs)
    this.#sweeper.unref?.()
    await this.search()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#sweeper)
    clearTimeout(this.#awaitedTrial?.timer)
    clearTimeout(this.#probation?.timer)
    clearTimeout(this.#trial?.timer)
  }

  /**
   * Whether a message may claim its session now. During a trial, or while one is awaited, it waits
   * for another instance or for the end of the trial.
   */
  get mayClaim(): boolean {
    return !this.#trial && !this.#awaitedTrial
  }

  /** From the start of this process. */
  get counts(): Pick<SessionCounts, 'takenOver' | 'setAside'> {
    return { takenOver: this.#takenOver, setAside: this.#setAsideCount }
  }

  /** Takes over the sessions that are available now. */
  async search(): Promise<void> {
    this.#isSearchDue = true
    if (this.#isSearching || this.#closed || this.#trial) return
    this.#isSearching = true
    await (this.currentSearch = this.#searchAll())
  }

  async #searchAll(): Promise<void> {
    while (this.#isSearchDue && !this.#closed && !this.#trial) {
      this.#isSearchDue = false
      if (await this.#searchOnce()) this.#isSearchDue = true
    }
    this.#isSearching = false
  }

  /** A session that is served here has made progress. */
  progressed(ref: SessionRef): void {
    const key = sessionKey(ref)
    if (this.#trial?.key === key) this.#endTrial()
    this.#endProbationOf(key)
  }

  /**
   * A session is no longer served here, for any reason.
   *
   * @param crashes that remain against it
   */
  ended(held: HeldSession, crashes: number): void {
    if (this.#trial?.key === sessionKey(held)) {
      void this.#parts.callStore((store, signal) => store.endTrial(held, crashes, signal))
      this.#endTrial()
    }
    this.#endProbationOf(sessionKey(held))
  }

  /** `true`: more sessions are available at once. */
  async #searchOnce(): Promise<boolean> {
    const requestedAt = this.#parts.clock.monotonic()
    const canBeginTrial = this.#awaitedTrial !== undefined && this.#untilTrial() <= 0
    const found = await this.#parts.callStore((store, signal) =>
      store.takeover(this.#parts.owner, this.#limits(canBeginTrial), signal),
    )
    if (!found.ok) return false
    const { sessions, suspectsFound } = found.value
    // All sessions of earlier owners are taken over: from now on a lease has to lapse first.
    if (sessions.length === 0 && suspectsFound === 0) this.#allOwnersLost = false
    const onProbation: AcquiredSession[] = []
    for (const sessionRecord of sessions)
      if (await this.#serve(sessionRecord, requestedAt)) onProbation.push(sessionRecord)
    this.#startProbation(onProbation)
    const acquiredSuspects = sessions.filter(({ suspect }) => suspect).length
    this.#takenOver += acquiredSuspects
    const foundNoneForTrial = canBeginTrial && sessions.length === 0
    const othersRemain = suspectsFound > acquiredSuspects
    this.#awaitTrial(othersRemain && !this.#probation && !this.#trial && !foundNoneForTrial)
    // After a full batch there may be more, so that it is searched at once. After a smaller one it
    // is not: a closing generation returns sessions (`#leaveToNextOwner` of `SessionWork`), and
    // would take them over in a circle. Suspects do not count: they come in groups of their own.
    return !this.#trial && sessions.length - acquiredSuspects >= BATCH
  }

  #limits(trial: boolean): Parameters<SessionStore['takeover']>[1] {
    const { settings } = this.#parts
    return {
      marginMs: this.#allOwnersLost ? -1 : settings.marginMs,
      leaseMs: settings.leaseMs,
      limit: this.#awaitedTrial ? 0 : BATCH,
      maxSuspects: this.#probation ? 0 : this.#groupSize,
      trial,
      held: this.#parts.held(),
    }
  }

  /** Serves a session or sets it aside. `true`: it is on probation. */
  async #serve(sessionRecord: AcquiredSession, requestedAt: number): Promise<boolean> {
    if (sessionRecord.convicted || sessionRecord.crashes >= this.#parts.settings.maxCrashes) {
      await this.#setAside(sessionRecord)
      return false
    }
    const onTrial = sessionRecord.trial && !this.#closed
    if (onTrial) this.#beginTrial(sessionRecord)
    this.#parts.serve(sessionRecord, requestedAt)
    return sessionRecord.suspect && !onTrial
  }

  #startProbation(sessions: readonly AcquiredSession[]): void {
    if (sessions.length === 0 || this.#closed) return
    const timer = setTimeout(() => this.#endProbation(), this.#parts.settings.suspectMs)
    timer.unref?.()
    this.#probation = { keys: new Set(sessions.map(sessionKey)), timer }
  }

  #endProbationOf(key: string): void {
    if (this.#probation?.keys.delete(key) && this.#probation.keys.size === 0) this.#endProbation()
  }

  #endProbation(): void {
    clearTimeout(this.#probation?.timer)
    this.#probation = undefined
    this.#groupSize = Math.min(MOST_SUSPECTS, this.#groupSize * 2)
    void this.search()
  }

  /**
   * The remaining suspects must run alone: nothing new begins here until the current runs have run
   * for `trialMs`.
   */
  #awaitTrial(needed: boolean): void {
    clearTimeout(this.#awaitedTrial?.timer)
    this.#awaitedTrial = undefined
    if (!needed || this.#closed) return
    const timer = setTimeout(() => void this.search(), Math.max(1, this.#untilTrial()))
    timer.unref?.()
    this.#awaitedTrial = { timer }
  }

  /** ms until the newest run here has run for `trialMs`; below 0: it has for longer. */
  #untilTrial(): number {
    const newest = this.#parts.newest()
    return newest === undefined
      ? 0
      : newest + this.#parts.settings.trialMs - this.#parts.clock.monotonic()
  }

  #beginTrial(sessionRecord: AcquiredSession): void {
    this.#parts.log.warn('run_on_trial', {
      session: sessionRecord.session,
      crashes: sessionRecord.crashes,
    })
    const timer = setTimeout(() => {
      void this.#parts.callStore((store, signal) =>
        store.endTrial(sessionRecord, sessionRecord.crashes, signal),
      )
      this.#endTrial()
    }, this.#parts.settings.trialMs)
    timer.unref?.()
    this.#trial = { key: sessionKey(sessionRecord), timer }
  }

  #endTrial(): void {
    clearTimeout(this.#trial?.timer)
    this.#trial = undefined
    void this.search()
  }

  async #setAside(sessionRecord: AcquiredSession): Promise<void> {
    const { clock, log } = this.#parts
    const message = `it stopped its server ${sessionRecord.crashes} times without getting any further${sessionRecord.convicted ? ', the last time while nothing else began beside it' : ''}`
    const why: SetAside = {
      code: 'RUN_SET_ASIDE',
      message,
      crashes: sessionRecord.crashes,
      at: clock.now(),
    }
    const done = await this.#parts.callStore((store, signal) =>
      store.setAside(sessionRecord, why, signal),
    )
    if (!done.ok || !done.value) return // the lease lapses, and the next owner sets it aside
    this.#setAsideCount++
    log.error('run_set_aside', {
      session: sessionRecord.session,
      crashes: sessionRecord.crashes,
      error: message,
    })
    this.#parts.changed(sessionRecord)
    this.#parts.troubled(sessionRecord)
  }
}
