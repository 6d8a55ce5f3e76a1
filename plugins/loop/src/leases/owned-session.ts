import {
  type Failure,
  type InboxItem,
  type SessionRef,
  type SessionRecord,
  ok,
  type SequencedEntry,
  readEntries,
  type Result,
  sleep,
  type Stop,
} from '@amodal/sdk'
import { JournalWriter, SessionLease } from '@amodal/sdk/loop'
import { isCancel } from '../client/controls.ts'
import type { LiveLog } from '../streams/live-log.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { rebased } from '../run/shared-values.ts'
import { SessionServices } from './session-services.ts'
import { StoreTime } from './store-time.ts'
import type { StoreCall, LoopEnvironment } from './environment.ts'

/** ms between two attempts to read the inbox. */
const RETRY_MS = 100

interface OwnedParts {
  readonly environment: LoopEnvironment
  readonly callStore: StoreCall
  readonly live: LiveLog | undefined
  /** Called after each commit. */
  readonly onProgress: () => void
}

/** A session that this process owns. */
export class OwnedSession {
  readonly ref: SessionRef
  readonly lease: SessionLease
  readonly fencingToken: number
  readonly writer: JournalWriter
  readonly time: StoreTime
  readonly services = new SessionServices()
  stop = new AbortController()
  /** The turn that is driven now. */
  turn: LoopTurn | undefined
  live: LiveLog | undefined
  /** Monotonic ms until which the run may stand still. */
  aliveUntil: number
  /** Monotonic ms at which its newest run began in this process. */
  begunAt: number
  /** Crashes of its owners and standstills of its run, since it last made progress. */
  crashes: number
  /** Messages in its inbox, as of the last renewal of its lease. */
  waitingMessages = 0
  /** Releases what the turn that has begun uses; `undefined` where none has. */
  #releaseTurn: (() => void) | undefined
  readonly #callStore: StoreCall
  /** Controls that were received and not processed yet. */
  #controls: readonly InboxItem[] = []
  /** Keys of all received controls, so that a slow read of the inbox delivers none twice. */
  readonly #knownControls = new Set<string>()

  /** @param requestedAt monotonic ms from before it was claimed */
  constructor(
    sessionRecord: SessionRecord,
    requestedAt: number,
    { environment, callStore, live, onProgress }: OwnedParts,
  ) {
    const { clock, settings } = environment
    const { leaseMs, storeMs } = settings
    this.ref = { tenant: sessionRecord.tenant, session: sessionRecord.session }
    this.lease = new SessionLease(clock, requestedAt, leaseMs)
    this.fencingToken = sessionRecord.fencingToken
    this.live = live
    this.#callStore = callStore
    this.crashes = sessionRecord.crashes
    this.aliveUntil = clock.monotonic() + settings.stalenessMs
    this.begunAt = clock.monotonic()
    this.time = new StoreTime(sessionRecord.at, clock)
    this.writer = new JournalWriter(
      environment.store(),
      sessionRecord,
      this.lease,
      {
        leaseMs,
        storeMs,
        onProgress: () => {
          this.crashes = 0
          onProgress()
        },
        rebase: (entry, now) => rebased(this.turn, entry, now),
      },
      clock,
    )
    this.lease.signal.addEventListener('abort', () => this.stop.abort('lost' satisfies Stop), {
      once: true,
    })
  }

  /** The number of controls that were not processed yet. */
  get pendingControlCount(): number {
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

  /**
   * Forgets received controls, so that the next read of the inbox returns those that were not
   * committed.
   */
  forgetControls(): void {
    this.#knownControls.clear()
    this.#controls = []
  }

  /** Reads the waiting messages, and receives the controls among the items. */
  async readInbox(): Promise<Result<readonly InboxItem[], Failure>> {
    const items = await this.#callStore((store, signal) => store.inbox(this.ref, signal))
    if (!items.ok) return items
    this.receiveControls(items.value.filter(({ control }) => control))
    return ok(items.value.filter(({ control }) => !control))
  }

  /**
   * Reads the waiting controls, with retries while the lease lasts, since the run cannot continue
   * without them.
   */
  async readControls(): Promise<Result<readonly InboxItem[], Failure>> {
    while (this.pendingControlCount === 0) {
      const found = await this.readInbox()
      if (found.ok) break
      if (this.lease.remainingMs() <= this.lease.margin || this.stop.signal.aborted) return found
      await sleep(RETRY_MS, this.stop.signal)
    }
    return ok(this.takeControls())
  }

  async entries(after: number): Promise<Result<readonly SequencedEntry[], Failure>> {
    const stored = await this.#callStore((store, signal) =>
      store.entries(this.ref, { after, upto: this.writer.head }, signal),
    )
    return stored.ok ? readEntries(stored.value) : stored
  }

  /**
   * A turn begins.
   *
   * @param release ends its timers, listeners and run scope, and releases its generation
   */
  beginTurn(release: () => void): void {
    this.#releaseTurn = release
  }

  /** Ends the turn that has begun; further calls do nothing. */
  endTurn(): void {
    const release = this.#releaseTurn
    this.#releaseTurn = undefined
    release?.()
  }

  /** Replaces an aborted controller before the next turn. */
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
