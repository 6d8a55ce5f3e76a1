import {
  atMost,
  type Failure,
  type Held,
  type InboxItem,
  type SessionRef,
  type LeaseRow,
  messageOf,
  type StateKind,
  type Stop,
} from '@amodal/sdk'
import type { History } from './history.ts'
import { sessionKey } from './session-key.ts'
import { SessionTurns } from './session-turns.ts'
import { SessionWork, type WorkParts } from './session-work.ts'
import type { LiveLog } from './live-log.ts'
import type { LoopTurn } from './loop-turn.ts'
import { OwnedSession } from './owned-session.ts'
import { forwardAnswers } from './answer-forwarding.ts'
import { Pulse } from './pulse.ts'
import { Residents } from './residents.ts'
import { LET_GO_MS } from './settings.ts'
import { type StoreRequest, storeRequests, type LoopEnvironment } from './environment.ts'
import { Takeovers } from './takeovers.ts'

/** The longest that a timer can wait. */
const MAX_WAIT = 2 ** 31 - 1
/** By so many ms at most a timer is ahead of the clock. */
const EARLY = 5

/** One turn at a time per session: serves the sessions this process owns and keeps their leases. */
export class TurnQueue {
  readonly #environment: LoopEnvironment
  readonly #ask: StoreRequest
  readonly #owned = new Map<string, OwnedSession>()
  readonly #residents: Residents
  readonly #pulse: Pulse
  readonly #turns: SessionTurns
  readonly #tasks = new Set<Promise<void>>()
  /** Sessions that were claimed too late, on their way back. */
  readonly #declined = new Set<Promise<void>>()
  #closed = false
  #beat: ReturnType<typeof setInterval> | undefined
  readonly #alarms = new Set<ReturnType<typeof setTimeout>>()
  readonly #takeovers: Takeovers

  constructor(environment: LoopEnvironment) {
    this.#environment = environment
    this.#ask = storeRequests(environment)
    const { owner, clock, log, settings } = environment
    this.#takeovers = new Takeovers({
      owner,
      clock,
      log,
      settings,
      changed: (ref) => environment.changed(ref),
      troubled: (ref) => environment.troubled(ref),
      ask: this.#ask,
      held: () => this.#held(),
      claim: (lease, requestedAt) => this.claim(lease, requestedAt),
      newest: () =>
        this.#owned.size === 0
          ? undefined
          : Math.max(...[...this.#owned.values()].map(({ begunAt }) => begunAt)),
    })
    this.#pulse = new Pulse(clock, Math.max(50, settings.leaseMs / 3))
    this.#residents = new Residents(environment.settings.residentBytes)
    this.#turns = new SessionTurns({
      environment,
      ask: this.#ask,
      working: () => this.#pulse.working(),
      released: (owned, history, alarmAt) => this.#released(owned, history, alarmAt),
    })
  }

  get resident(): Pick<Residents, 'size' | 'bytes' | 'limit'> {
    return this.#residents
  }

  /** The live log of a session that is driven here. */
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

  /** Whether a message may claim its session now, or leaves it to whoever looks for work. */
  get claims(): boolean {
    return this.#takeovers.claims
  }

  /**
   * Resolves after the first look for work.
   * @param alone no other process can reach the storage: whoever owned a session before is lost
   */
  start(alone: boolean): Promise<void> {
    this.#pulse.start()
    this.#beat = setInterval(() => void this.#heartbeat(), this.#pulse.everyMs)
    this.#beat.unref?.()
    return this.#takeovers.start(alone)
  }

  /**
   * Begins to serve a session this process has just claimed; `asked`: monotonic ms from before the
   * claim.
   */
  claim(
    row: LeaseRow,
    requestedAt: number,
    first?: { readonly item: InboxItem; readonly live: LiveLog },
  ): void {
    if (this.#closed) return this.#decline(row, first?.live)
    const owned = new OwnedSession(row, requestedAt, {
      environment: this.#environment,
      ask: this.#ask,
      live: first?.live,
      progressed: () => this.#takeovers.progressed(owned.ref),
    })
    this.#owned.get(sessionKey(owned.ref))?.lease.lose('claimed again')
    this.#owned.set(sessionKey(owned.ref), owned)
    const task = this.#serve(owned, row, first?.item)
    this.#tasks.add(task)
    void task.finally(() => this.#tasks.delete(task))
  }

  /**
   * What was under way when this closed, such as a look for work or a message, may still claim a
   * session: nobody would wait for its run, or end it.
   */
  #decline({ tenant, session, fencingToken }: LeaseRow, live: LiveLog | undefined): void {
    live?.end('left')
    const declined = this.#handBack([{ ref: { tenant, session }, fencingToken }])
    this.#declined.add(declined)
    void declined.finally(() => this.#declined.delete(declined))
  }

  /** A control was accepted for a session that may be served here. */
  control(ref: SessionRef, item: InboxItem): void {
    this.#owned.get(sessionKey(ref))?.receiveControls([item])
  }

  /**
   * Looks into the inbox of a session served here: another instance may have put a control there.
   */
  async poke(ref: SessionRef): Promise<void> {
    await this.#owned.get(sessionKey(ref))?.inbox()
  }

  forget(ref: SessionRef): void {
    this.#residents.drop(sessionKey(ref))
  }

  /** Takes what there is to take, for whoever notices that a question has expired. */
  look(): void {
    void this.#takeovers.look()
  }

  /** Waits for runs; those that are left go on elsewhere from their last commit. */
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
    await this.#handBack(unfinished)
    // Another instance may go on with them from here: nothing of this process waits for what does
    // not let go.
    for (const owned of unfinished) owned.quiet()
  }

  /**
   * Once it is closed: resolves when what was claimed too late is handed back. The store has to be
   * there until then.
   */
  async handedBack(): Promise<void> {
    await this.#takeovers.currentLook
    await Promise.all(this.#declined)
  }

  /** A lease of no length: whoever looks next may take over at once. */
  async #handBack(owned: readonly Pick<OwnedSession, 'ref' | 'fencingToken'>[]): Promise<void> {
    await this.#ask((store, signal) =>
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

  /** Sessions that are worked on here. */
  #held(): readonly Held[] {
    const given = ({ lease, stop }: OwnedSession): boolean =>
      lease.signal.aborted || stop.signal.reason === ('stale' satisfies Stop)
    return [...this.#owned.values()]
      .filter((owned) => !given(owned))
      .map(({ ref, fencingToken }) => ({ ...ref, fencingToken }))
  }

  async #heartbeat(): Promise<void> {
    const { clock, settings, owner } = this.#environment
    const requestedAt = clock.monotonic()
    // While this process stood still, nothing could make progress: what nobody has taken over
    // meanwhile goes on.
    const stood = this.#pulse.stoodStill()
    for (const owned of this.#owned.values()) owned.aliveUntil += stood
    const held = [...this.#owned.values()].filter((owned) => {
      if (owned.aliveUntil > requestedAt) return true
      if (!owned.stop.signal.aborted) this.#stale(owned)
      return false
    })
    if (held.length === 0) return
    const renewed = await this.#ask((store, signal) =>
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
        if (one.controls > owned.waiting) void owned.inbox()
      } else if (!renewed.ok && owned.lease.left() <= 0)
        owned.lease.lose('the lease ran out', false)
      else if (renewed.ok && this.#owned.get(sessionKey(owned.ref)) === owned)
        owned.lease.lose('the lease was taken over')
    }
  }

  /**
   * It stands still: it is left for whoever looks next, and that counts against it as a crash does.
   */
  #stale(owned: OwnedSession): void {
    owned.stop.abort('stale' satisfies Stop)
    owned.crashes++
    void this.#ask((store, signal) =>
      store.acquit({ ...owned.ref, fencingToken: owned.fencingToken }, owned.crashes, signal),
    )
  }

  /** Works on a claimed session until it is released, parked or lost. Never rejects. */
  async #serve(owned: OwnedSession, row: LeaseRow, first: InboxItem | undefined): Promise<void> {
    try {
      const served = await new SessionWork(owned, row, first, this.#workParts(owned)).start(row)
      if (!served.ok) this.#refuse(owned, served.error)
    } catch (cause) {
      this.#environment.log.error('session_failed', {
        session: owned.ref.session,
        error: messageOf(cause),
      })
      owned.live?.end('left')
    } finally {
      owned.quiet()
      owned.services.end()
      if (this.#owned.get(sessionKey(owned.ref)) === owned)
        this.#owned.delete(sessionKey(owned.ref))
      this.#takeovers.ended({ ...owned.ref, fencingToken: owned.fencingToken }, owned.crashes)
      this.#environment.changed(owned.ref)
    }
  }

  /**
   * What cannot be read is left as it is, for a release that can, or for when the store answers
   * again.
   */
  #refuse(owned: OwnedSession, { code, message }: Failure): void {
    // The session is not to blame for the crash before.
    if (owned.crashes > 0)
      void this.#ask((store, signal) =>
        store.acquit({ ...owned.ref, fencingToken: owned.fencingToken }, 0, signal),
      )
    owned.crashes = 0
    this.#environment.log.error('session_refused', {
      session: owned.ref.session,
      code,
      error: message,
    })
    owned.live?.push({ type: 'error', code, message }, this.#environment.clock.now())
    owned.live?.end('doubt')
  }

  #workParts(owned: OwnedSession): WorkParts {
    return {
      environment: this.#environment,
      ask: this.#ask,
      turns: this.#turns,
      residents: this.#residents,
      handBack: () => this.#handBack([owned]),
      forwardAnswers: (turn) => void forwardAnswers(owned.ref, turn, this.#environment, this),
    }
  }

  /** Before anybody hears of it: the next message may claim the session in this very tick. */
  #released(owned: OwnedSession, history: History, alarmAt: number): void {
    const { ref, services, writer } = owned
    if (
      this.#residents.keep(sessionKey(ref), { history, scope: services.createdScope }, writer.head)
    )
      services.handOver()
    if (this.#owned.get(sessionKey(ref)) === owned) this.#owned.delete(sessionKey(ref))
    if (alarmAt < Infinity) this.#alarm(alarmAt - owned.time.now())
  }

  /** A question is settled when its time is over, without waiting for anybody to come by. */
  #alarm(ms: number): void {
    const alarm = setTimeout(
      () => {
        this.#alarms.delete(alarm)
        this.look()
      },
      Math.min(MAX_WAIT, Math.max(0, ms) + EARLY),
    )
    alarm.unref?.()
    this.#alarms.add(alarm)
  }
}
