import {
  type Failure,
  type InboxItem,
  type SessionRef,
  type LeaseRow,
  ok,
  type SequencedEntry,
  readEntries,
  type Result,
  sleep,
  type Stop,
} from '@amodal/sdk'
import { JournalWriter, SessionLease } from '@amodal/sdk/loop'
import { isCancel } from './confirming.ts'
import type { LiveLog } from './live-log.ts'
import type { LoopTurn } from './loop-turn.ts'
import { rebased } from './shared-values.ts'
import { SessionServices } from './session-services.ts'
import { StoreTime } from './store-time.ts'
import type { StoreRequest, LoopEnvironment } from './environment.ts'

/** ms between two tries to read what a run waits for. */
const RETRY_MS = 100

interface OwnedParts {
  readonly environment: LoopEnvironment
  readonly ask: StoreRequest
  readonly live: LiveLog | undefined
  /** Something of it was committed. */
  readonly progressed: () => void
}

/** A session while this process owns it. */
export class OwnedSession {
  readonly ref: SessionRef
  readonly lease: SessionLease
  readonly fencingToken: number
  readonly writer: JournalWriter
  readonly time: StoreTime
  readonly services = new SessionServices()
  stop = new AbortController()
  turn: LoopTurn | undefined
  live: LiveLog | undefined
  /** Monotonic ms until which a standstill is no reason to give up. */
  aliveUntil: number
  /** Monotonic ms at which its newest run began here. */
  begunAt: number
  /**
   * Crashes against it: owners that were lost with it, and standstills, since it last made
   * progress.
   */
  crashes: number
  /** Undoes the timers and listeners of the turn in progress. */
  quiet: () => void = () => undefined
  readonly #ask: StoreRequest
  /** Controls that are known here and were not taken yet. */
  #controls: readonly InboxItem[] = []
  /**
   * Keys of controls that were known at some time: what was taken is not heard again from a look
   * that came late.
   */
  readonly #knownControls = new Set<string>()

  /** @param requestedAt monotonic ms from before it was claimed */
  constructor(
    row: LeaseRow,
    requestedAt: number,
    { environment, ask, live, progressed }: OwnedParts,
  ) {
    const { clock, settings } = environment
    const { leaseMs, storeMs } = settings
    this.ref = { tenant: row.tenant, session: row.session }
    this.lease = new SessionLease(clock, requestedAt, leaseMs)
    this.fencingToken = row.fencingToken
    this.live = live
    this.#ask = ask
    this.crashes = row.crashes
    this.aliveUntil = clock.monotonic() + settings.stalenessMs
    this.begunAt = clock.monotonic()
    this.time = new StoreTime(row.at, clock)
    this.writer = new JournalWriter(
      environment.store(),
      row,
      this.lease,
      {
        leaseMs,
        storeMs,
        progressed: () => {
          this.crashes = 0
          progressed()
        },
        rebase: (entry, now) => rebased(this.turn, entry, now),
      },
      clock,
    )
    this.lease.signal.addEventListener('abort', () => this.stop.abort('lost' satisfies Stop), {
      once: true,
    })
  }

  /** Controls that wait to be taken. */
  get waiting(): number {
    return this.#controls.length
  }

  receiveControls(controls: readonly InboxItem[]): void {
    const fresh = controls.filter(({ key }) => !this.#knownControls.has(key))
    for (const { key } of fresh) this.#knownControls.add(key)
    this.#controls = [...this.#controls, ...fresh]
    if (fresh.some(isCancel)) this.stop.abort('cancelled' satisfies Stop)
  }

  takeControls(): readonly InboxItem[] {
    const controls = this.#controls
    this.#controls = []
    return controls
  }

  /** What was heard and not committed is heard of once more. */
  forgetControls(): void {
    this.#knownControls.clear()
    this.#controls = []
  }

  /** The messages that wait. Controls are heard of on the way. */
  async inbox(): Promise<Result<readonly InboxItem[], Failure>> {
    const items = await this.#ask((store, signal) => store.inbox(this.ref, signal))
    if (!items.ok) return items
    this.receiveControls(items.value.filter(({ control }) => control))
    return ok(items.value.filter(({ control }) => !control))
  }

  /**
   * The controls that wait, asked for as long as the session is ours: without what was said nobody
   * knows how it goes on.
   */
  async waitingControls(): Promise<Result<readonly InboxItem[], Failure>> {
    while (this.waiting === 0) {
      const found = await this.inbox()
      if (found.ok) break
      if (this.lease.left() <= this.lease.margin || this.stop.signal.aborted) return found
      await sleep(RETRY_MS, this.stop.signal)
    }
    return ok(this.takeControls())
  }

  async entries(after: number): Promise<Result<readonly SequencedEntry[], Failure>> {
    const stored = await this.#ask((store, signal) =>
      store.entries(this.ref, { after, upto: this.writer.head }, signal),
    )
    return stored.ok ? readEntries(stored.value) : stored
  }

  /** For the next turn, where the last one was stopped. */
  renewStop(): void {
    if (!this.stop.signal.aborted) return
    const stop = new AbortController()
    if (this.lease.signal.aborted) stop.abort('lost' satisfies Stop)
    else
      this.lease.signal.addEventListener('abort', () => stop.abort('lost' satisfies Stop), {
        once: true,
      })
    this.stop = stop
  }
}
