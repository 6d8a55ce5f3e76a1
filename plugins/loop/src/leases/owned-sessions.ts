import {
  atMost,
  type Failure,
  type HeldSession,
  type InboxItem,
  type SessionRef,
  type SessionRecord,
  messageOf,
  type SessionCounts,
  type StateKind,
  type Stop,
} from '@amodal/sdk'
import type { History } from '../run/history.ts'
import { sessionKey } from '../sessions/session-key.ts'
import { SessionTurns } from '../run/session-turns.ts'
import { SessionWork, type WorkParts } from './session-work.ts'
import type { LiveLog } from '../streams/live-log.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { OwnedSession } from './owned-session.ts'
import { forwardAnswers } from './answer-forwarding.ts'
import { Pulse } from './pulse.ts'
import { Residents } from './residents.ts'
import { LET_GO_MS } from '../settings.ts'
import { type StoreCall, storeCalls, type LoopEnvironment } from './environment.ts'
import { Takeovers } from './takeovers.ts'

/** The longest delay of a timer, ms. */
const MAX_WAIT = 2 ** 31 - 1
/** The ms by which a timer can fire early. */
const EARLY = 5

/**
 * The sessions that this process owns: serves them, one turn at a time in each, and renews and
 * takes over leases.
 */
export class OwnedSessions {
  readonly #environment: LoopEnvironment
  readonly #callStore: StoreCall
  readonly #owned = new Map<string, OwnedSession>()
  readonly #residents: Residents
  readonly #pulse: Pulse
  readonly #turns: SessionTurns
  readonly #tasks = new Set<Promise<void>>()
  /** Sessions that were claimed during close and are being returned. */
  readonly #declined = new Set<Promise<void>>()
  #closed = false
  #beat: ReturnType<typeof setInterval> | undefined
  readonly #alarms = new Set<ReturnType<typeof setTimeout>>()
  readonly #takeovers: Takeovers

  constructor(environment: LoopEnvironment) {
    this.#environment = environment
    this.#callStore = storeCalls(environment)
    const { owner, clock, log, settings } = environment
    this.#takeovers = new Takeovers({
      owner,
      clock,
      log,
      settings,
      changed: (ref) => environment.changed(ref),
      troubled: (ref) => environment.troubled(ref),
      callStore: this.#callStore,
      held: () => this.#held(),
      serve: (sessionRecord, requestedAt) => this.serve(sessionRecord, requestedAt),
      newest: () =>
        this.#owned.size === 0
          ? undefined
          : Math.max(...[...this.#owned.values()].map(({ begunAt }) => begunAt)),
    })
    this.#pulse = new Pulse(clock, Math.max(50, settings.leaseMs / 3))
    this.#residents = new Residents(environment.settings.residentBytes)
    this.#turns = new SessionTurns({
      environment,
      callStore: this.#callStore,
      working: () => this.#pulse.working(),
      onReleased: (owned, history, alarmAt) => this.#released(owned, history, alarmAt),
    })
  }

  get resident(): Pick<Residents, 'size' | 'bytes' | 'limit'> {
    return this.#residents
  }

  /** The live log of a session that is served here. */
  live(ref: SessionRef): LiveLog | undefined {
    return this.#owned.get(sessionKey(ref))?.live
  }

  owns(ref: SessionRef): boolean {
    return this.#owned.has(sessionKey(ref))
  }

  runs(): readonly {
    readonly ref: SessionRef
    readonly turn: LoopTurn
    readonly state: StateKind
  }[] {
    return [...this.#owned.values()].flatMap(({ ref, turn }) =>
      turn ? [{ ref, turn, state: turn.state.kind }] : [],
    )
  }

  counts(): SessionCounts {
    const owned = [...this.#owned.values()]
    return {
      owned: owned.length,
      waiting: owned.reduce((sum, { waitingMessages }) => sum + waitingMessages, 0),
      ...this.#takeovers.counts,
    }
  }

  /** Whether a message may claim its session now, or leaves it to the takeover. */
  get mayClaim(): boolean {
    return this.#takeovers.mayClaim
  }

  /**
   * Resolves after the first takeover.
   *
   * @param allOwnersLost no other process can reach the storage: all previous owners are lost
   */
  start(allOwnersLost: boolean): Promise<void> {
    this.#pulse.start()
    this.#beat = setInterval(() => void this.#heartbeat(), this.#pulse.everyMs)
    this.#beat.unref?.()
    return this.#takeovers.start(allOwnersLost)
  }

  /**
   * Begins to serve a session that this process has just claimed; `requestedAt`: monotonic ms
   * before the claim.
   */
  serve(
    sessionRecord: SessionRecord,
    requestedAt: number,
    first?: { readonly item: InboxItem; readonly live: LiveLog },
  ): void {
    if (this.#closed) return this.#decline(sessionRecord, first?.live)
    const owned = new OwnedSession(sessionRecord, requestedAt, {
      environment: this.#environment,
      callStore: this.#callStore,
      live: first?.live,
      onProgress: () => this.#takeovers.progressed(owned.ref),
    })
    this.#owned.get(sessionKey(owned.ref))?.lease.lose('claimed again')
    this.#owned.set(sessionKey(owned.ref), owned)
    const task = this.#work(owned, sessionRecord, first?.item)
    this.#tasks.add(task)
    void task.finally(() => this.#tasks.delete(task))
  }

  /**
   * Returns a session that was claimed during close, since nothing would wait for
   * its run.
   */
  #decline({ tenant, session, fencingToken }: SessionRecord, live: LiveLog | undefined): void {
    live?.end('abandoned')
    const declined = this.#expireLeases([{ ref: { tenant, session }, fencingToken }])
    this.#declined.add(declined)
    void declined.finally(() => this.#declined.delete(declined))
  }

  /** A control was accepted for a session that may be served here. */
  control(ref: SessionRef, item: InboxItem): void {
    this.#owned.get(sessionKey(ref))?.receiveControls([item])
  }

  /**
   * Reads the inbox of a session that is served here: another instance may have added a control.
   */
  async readInbox(ref: SessionRef): Promise<void> {
    await this.#owned.get(sessionKey(ref))?.readInbox()
  }

  dropResident(ref: SessionRef): void {
    this.#residents.drop(sessionKey(ref))
  }

  /** Starts a takeover, such as for a question that has expired. */
  searchWork(): void {
    void this.#takeovers.search()
  }

  /** Waits for runs; unfinished ones resume elsewhere from their last commit. */
  async close(): Promise<void> {
    this.#closed = true
    this.#takeovers.close()
    for (const alarm of this.#alarms) clearTimeout(alarm)
    await this.#settled(this.#environment.settings.drainMs)
    const unfinished = [...this.#owned.values()]
    for (const { lease } of unfinished) lease.lose('the server stops', false)
    await this.#settled(LET_GO_MS)
    clearInterval(this.#beat)
    if (unfinished.length === 0) return
    await this.#expireLeases(unfinished)
    // Another instance may continue these runs, so nothing of this process waits for work that does
    // not stop.
    for (const owned of unfinished) owned.endTurn()
  }

  /**
   * Resolves when the leases of sessions that were claimed during close have ended. The store must
   * be available until then.
   */
  async leasesExpired(): Promise<void> {
    await this.#takeovers.currentSearch
    await Promise.all(this.#declined)
  }

  /**
   * Returns sessions: renews their leases with no duration, so that the next instance may take over
   * at once. The owner remains in the row, unlike after a commit that releases the session.
   */
  async #expireLeases(owned: readonly Pick<OwnedSession, 'ref' | 'fencingToken'>[]): Promise<void> {
    await this.#callStore((store, signal) =>
      store.renew(
        this.#environment.owner,
        owned.map(({ ref, fencingToken }) => ({ ...ref, fencingToken })),
        0,
        signal,
      ),
    )
  }

  async #settled(ms: number): Promise<void> {
    await atMost(ms, Promise.allSettled([...this.#tasks]))
  }

  /** The sessions that are served here and not given up: whose lease holds, and that make progress. */
  #held(): readonly HeldSession[] {
    const isGivenUp = ({ lease, stop }: OwnedSession): boolean =>
      lease.signal.aborted || stop.signal.reason === ('stalled' satisfies Stop)
    return [...this.#owned.values()]
      .filter((owned) => !isGivenUp(owned))
      .map(({ ref, fencingToken }) => ({ ...ref, fencingToken }))
  }

  async #heartbeat(): Promise<void> {
    const { clock, settings, owner } = this.#environment
    const requestedAt = clock.monotonic()
    // A suspended process makes no progress: a run continues if no other instance has taken it over
    // meanwhile.
    const suspendedMs = this.#pulse.recordBeat()
    for (const owned of this.#owned.values()) owned.aliveUntil += suspendedMs
    const held = [...this.#owned.values()].filter((owned) => {
      if (owned.aliveUntil > requestedAt) return true
      if (!owned.stop.signal.aborted) this.#stopStalled(owned)
      return false
    })
    if (held.length === 0) return
    const renewed = await this.#callStore((store, signal) =>
      store.renew(
        owner,
        held.map(({ ref, fencingToken }) => ({ ...ref, fencingToken })),
        settings.leaseMs,
        signal,
      ),
    )
    const renewedLeases = new Map(
      renewed.ok ? renewed.value.map((one) => [sessionKey(one), one] as const) : [],
    )
    for (const owned of held) {
      const one = renewedLeases.get(sessionKey(owned.ref))
      if (one) {
        owned.lease.prolong(requestedAt, settings.leaseMs)
        owned.waitingMessages = one.messages
        if (one.controls > owned.pendingControlCount) void owned.readInbox()
      } else if (!renewed.ok && owned.lease.remainingMs() <= 0)
        owned.lease.lose('the lease ran out', false)
      else if (renewed.ok && this.#owned.get(sessionKey(owned.ref)) === owned)
        owned.lease.lose('the lease was taken over')
    }
  }

  /**
   * Stops a run without progress and leaves it to the next owner; it counts as a crash. `endTrial`
   * also stores the number of crashes.
   */
  #stopStalled(owned: OwnedSession): void {
    owned.stop.abort('stalled' satisfies Stop)
    owned.crashes++
    void this.#callStore((store, signal) =>
      store.endTrial({ ...owned.ref, fencingToken: owned.fencingToken }, owned.crashes, signal),
    )
  }

  /** Works on a claimed session until it is released, parked or lost. Never rejects. */
  async #work(
    owned: OwnedSession,
    sessionRecord: SessionRecord,
    first: InboxItem | undefined,
  ): Promise<void> {
    try {
      const work = new SessionWork(owned, sessionRecord, first, this.#workParts(owned))
      const served = await work.start(sessionRecord)
      if (!served.ok) this.#refuse(owned, served.error)
    } catch (cause) {
      this.#environment.log.error('session_failed', {
        session: owned.ref.session,
        error: messageOf(cause),
      })
      owned.live?.end('abandoned')
    } finally {
      owned.endTurn()
      owned.services.end()
      if (this.#owned.get(sessionKey(owned.ref)) === owned)
        this.#owned.delete(sessionKey(owned.ref))
      this.#takeovers.ended({ ...owned.ref, fencingToken: owned.fencingToken }, owned.crashes)
      this.#environment.changed(owned.ref)
    }
  }

  /** Leaves an unreadable session unchanged, for a newer release or until the store recovers. */
  #refuse(owned: OwnedSession, { code, message }: Failure): void {
    // A session that cannot be read has not run, so that it caused no crash; the count is stored.
    if (owned.crashes > 0)
      void this.#callStore((store, signal) =>
        store.endTrial({ ...owned.ref, fencingToken: owned.fencingToken }, 0, signal),
      )
    owned.crashes = 0
    this.#environment.log.error('session_refused', {
      session: owned.ref.session,
      code,
      error: message,
    })
    owned.live?.push({ type: 'error', code, message }, this.#environment.clock.now())
    owned.live?.end('failed')
  }

  #workParts(owned: OwnedSession): WorkParts {
    return {
      environment: this.#environment,
      callStore: this.#callStore,
      turns: this.#turns,
      residents: this.#residents,
      expireLease: () => this.#expireLeases([owned]),
      forwardAnswers: (turn) => void forwardAnswers(owned.ref, turn, this.#environment, this),
    }
  }

  /**
   * Runs before the release is announced, since the next message may claim the session in the same
   * tick.
   */
  #released(owned: OwnedSession, history: History, alarmAt: number): void {
    const { ref, services, writer } = owned
    if (
      this.#residents.keep(sessionKey(ref), { history, scope: services.createdScope }, writer.head)
    )
      services.leaveOpen()
    if (this.#owned.get(sessionKey(ref)) === owned) this.#owned.delete(sessionKey(ref))
    if (alarmAt < Infinity) this.#alarm(alarmAt - owned.time.now())
  }

  /** Settles a question at its expiry, without waiting for a sweep. */
  #alarm(ms: number): void {
    const alarm = setTimeout(
      () => {
        this.#alarms.delete(alarm)
        this.searchWork()
      },
      Math.min(MAX_WAIT, Math.max(0, ms) + EARLY),
    )
    alarm.unref?.()
    this.#alarms.add(alarm)
  }
}
