import {
  type AgentBundle,
  type AgentHooks,
  type AgentState,
  type Clock,
  deadline,
  err,
  failure,
  type Failure,
  type Generation,
  type Held,
  type InboxBody,
  type InboxItem,
  type InstanceId,
  type LaneRef,
  type LaneRow,
  type LaneState,
  type Logger,
  messageOf,
  ok,
  OUTCOME_SETTLED,
  type Placed,
  type PrincipalId,
  readEntries,
  type Result,
  type RunRecord,
  type Sealer,
  type SessionStore,
  sleep,
  type StateKind,
  stateOf,
  type Stop,
} from '@amodal/sdk'
import { alarm, askStore, drive, JournalWriter, LaneLease, stage } from '@amodal/sdk/loop'
import { aside } from './aside.ts'
import type { CompileCache } from './compile.ts'
import { isCancel } from './confirming.ts'
import { handlers } from './handlers.ts'
import { History } from './history.ts'
import { laneKey } from './lane-key.ts'
import { LoopTurn } from './loop-turn.ts'
import { project } from './project.ts'
import { LiveLog } from './live-log.ts'
import { newRun } from './new-run.ts'
import { parentOf } from './parent.ts'
import { passUp } from './pass-up.ts'
import { Pulse } from './pulse.ts'
import { counted, doubtsOf, recover } from './recover.ts'
import { Residents } from './residents.ts'
import { SessionServices } from './session-services.ts'
import { settleEffect, unknownEffect } from './settle.ts'
import { StoreTime } from './store-time.ts'
import { Takeovers } from './takeovers.ts'
import { LET_GO_MS, type RuntimeSettings } from './settings.ts'
import { withheldIn } from './withheld.ts'

type Kept = Extract<LaneState, { kind: 'run' }>

/** What a turn holds on to; a reload waits for `release`. */
export interface Acquired {
  readonly generation: Generation
  readonly hooks: AgentHooks
  readonly bundle: AgentBundle
  readonly release: () => void
}

/** What a turn begins with. */
interface Begun extends Acquired {
  readonly again: boolean
  readonly history: History
  readonly past: readonly Placed[]
}

/** What the queue needs of the process around it. */
export interface Surround {
  readonly owner: InstanceId
  readonly clock: Clock
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
  readonly log: Logger
  store(): SessionStore
  sealer(): Sealer | undefined
  /** The generation and bundle that a new turn takes. */
  acquire(roles?: readonly string[]): Acquired
  /** Exchanges before the newest that the model sees. */
  depth(): number
  /**
   * The wiring around is taken down: what begins now is for the next one, and maybe for another
   * loop.
   */
  closing(): boolean
  /** A session has something new for readers. */
  changed(ref: LaneRef): void
  /** A run of the session has ended, or waits for a person. */
  persisted(ref: LaneRef, principal: PrincipalId): void
  /** A run of the session is set aside, before it was known whose it is. */
  troubled(ref: LaneRef): void
}

/** A lane while this process owns it. */
interface Owned {
  readonly ref: LaneRef
  readonly lease: LaneLease
  readonly fence: number
  readonly writer: JournalWriter
  readonly time: StoreTime
  stop: AbortController
  turn: LoopTurn | undefined
  live: LiveLog | undefined
  /** Controls that are known here and were not taken yet. */
  controls: readonly InboxItem[]
  /**
   * Keys of controls that were known at some time: what was taken is not heard again from a look
   * that came late.
   */
  readonly heard: Set<string>
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
  quiet: () => void
  readonly services: SessionServices
}

/** ms between two tries to read what a run waits for. */
const AGAIN_MS = 100
/** The longest that a timer can wait. */
const MAX_WAIT = 2 ** 31 - 1
/** By so many ms at most a timer is ahead of the clock. */
const EARLY = 5

/** One turn at a time per session: serves the lanes this process owns and keeps their leases. */
export class TurnQueue {
  readonly #around: Surround
  readonly #owned = new Map<string, Owned>()
  readonly #residents: Residents
  readonly #pulse: Pulse
  readonly #tasks = new Set<Promise<void>>()
  /** Lanes that were claimed too late, on their way back. */
  readonly #declined = new Set<Promise<void>>()
  #closed = false
  #beat: ReturnType<typeof setInterval> | undefined
  readonly #alarms = new Set<ReturnType<typeof setTimeout>>()
  readonly #takeovers: Takeovers

  constructor(around: Surround) {
    this.#around = around
    const { owner, clock, log, settings } = around
    this.#takeovers = new Takeovers({
      owner,
      clock,
      log,
      settings,
      changed: (ref) => around.changed(ref),
      troubled: (ref) => around.troubled(ref),
      ask: (work) => this.#ask(work),
      held: () => this.#held(),
      claim: (lane, asked) => this.claim(lane, asked),
      newest: () =>
        this.#owned.size === 0
          ? undefined
          : Math.max(...[...this.#owned.values()].map(({ begunAt }) => begunAt)),
    })
    this.#pulse = new Pulse(clock, Math.max(50, settings.leaseMs / 3))
    this.#residents = new Residents(around.settings.residentBytes)
  }

  get resident(): Pick<Residents, 'size' | 'bytes' | 'limit'> {
    return this.#residents
  }

  /** The live log of a session that is driven here. */
  live(ref: LaneRef): LiveLog | undefined {
    return this.#owned.get(laneKey(ref))?.live
  }

  owns(ref: LaneRef): boolean {
    return this.#owned.has(laneKey(ref))
  }

  runs(): readonly { readonly ref: LaneRef; readonly turn: LoopTurn; readonly state: StateKind }[] {
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
   * @param alone no other process can reach the storage: whoever owned a lane before is lost
   */
  start(alone: boolean): Promise<void> {
    this.#pulse.start()
    this.#beat = setInterval(() => void this.#heartbeat(), this.#pulse.everyMs)
    this.#beat.unref?.()
    return this.#takeovers.start(alone)
  }

  /**
   * Begins to serve a lane this process has just claimed; `asked`: monotonic ms from before the
   * claim.
   */
  claim(
    row: LaneRow,
    asked: number,
    first?: { readonly item: InboxItem; readonly live: LiveLog },
  ): void {
    if (this.#closed) return this.#decline(row, first?.live)
    const { clock, settings } = this.#around
    const lease = new LaneLease(clock, asked, settings.leaseMs)
    const ref = { tenant: row.tenant, session: row.session }
    const progressed = (): void => {
      lane.crashes = 0
      this.#takeovers.progressed(ref)
    }
    const { leaseMs, storeMs } = settings
    const lane: Owned = {
      ref,
      lease,
      fence: row.fence,
      writer: new JournalWriter(
        this.#around.store(),
        row,
        lease,
        { leaseMs, storeMs, progressed },
        clock,
      ),
      time: new StoreTime(row.at, clock),
      stop: new AbortController(),
      turn: undefined,
      live: first?.live,
      controls: [],
      heard: new Set(),
      aliveUntil: clock.monotonic() + settings.stalenessMs,
      begunAt: clock.monotonic(),
      crashes: row.crashes,
      quiet: () => undefined,
      services: new SessionServices(),
    }
    lease.signal.addEventListener('abort', () => lane.stop.abort('lost' satisfies Stop), {
      once: true,
    })
    this.#owned.get(laneKey(lane.ref))?.lease.lose('claimed again')
    this.#owned.set(laneKey(lane.ref), lane)
    const task = this.#serve(lane, row, first?.item)
    this.#tasks.add(task)
    void task.finally(() => this.#tasks.delete(task))
  }

  /**
   * What was under way when this closed, such as a look for work or a message, may still claim a
   * lane: nobody would wait for its run, or end it.
   */
  #decline({ tenant, session, fence }: LaneRow, live: LiveLog | undefined): void {
    live?.end('left')
    const declined = this.#handBack([{ ref: { tenant, session }, fence }])
    this.#declined.add(declined)
    void declined.finally(() => this.#declined.delete(declined))
  }

  /** A control was accepted for a lane that may be served here. */
  control(ref: LaneRef, item: InboxItem): void {
    const lane = this.#owned.get(laneKey(ref))
    if (lane) this.#hear(lane, [item])
  }

  /** Looks into the inbox of a lane served here: another instance may have put a control there. */
  async poke(ref: LaneRef): Promise<void> {
    const lane = this.#owned.get(laneKey(ref))
    if (lane) await this.#inbox(lane)
  }

  forget(ref: LaneRef): void {
    this.#residents.drop(laneKey(ref))
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
    await this.#settled(this.#around.settings.drainMs)
    const left = [...this.#owned.values()]
    for (const { lease } of left) lease.lose('the server stops', false)
    await this.#settled(LET_GO_MS)
    clearInterval(this.#beat)
    if (left.length === 0) return
    await this.#handBack(left)
    // Another instance may go on with them from here: nothing of this process waits for what does
    // not let go.
    for (const lane of left) lane.quiet()
  }

  /**
   * Once it is closed: resolves when what was claimed too late is handed back. The store has to be
   * there until then.
   */
  async handedBack(): Promise<void> {
    await this.#takeovers.looked
    await Promise.all(this.#declined)
  }

  /** A lease of no length: whoever looks next may take over at once. */
  async #handBack(lanes: readonly Pick<Owned, 'ref' | 'fence'>[]): Promise<void> {
    await this.#ask((store, signal) =>
      store.renew(
        this.#around.owner,
        lanes.map(({ ref, fence }) => ({ ...ref, fence })),
        0,
        signal,
      ),
    )
  }

  async #settled(ms: number): Promise<void> {
    const limit = deadline(undefined, ms)
    await Promise.race([
      Promise.allSettled([...this.#tasks]),
      new Promise((resolve) => {
        limit.signal.addEventListener('abort', resolve, { once: true })
      }),
    ])
    limit.clear()
  }

  /** Lanes that are worked on here. */
  #held(): readonly Held[] {
    const given = ({ lease, stop }: Owned): boolean =>
      lease.signal.aborted || stop.signal.reason === ('stale' satisfies Stop)
    return [...this.#owned.values()]
      .filter((lane) => !given(lane))
      .map(({ ref, fence }) => ({ ...ref, fence }))
  }

  async #heartbeat(): Promise<void> {
    const { clock, settings, owner } = this.#around
    const asked = clock.monotonic()
    // While this process stood still, nothing could make progress: what nobody has taken over
    // meanwhile goes on.
    const stood = this.#pulse.stoodStill()
    for (const lane of this.#owned.values()) lane.aliveUntil += stood
    const held = [...this.#owned.values()].filter((lane) => {
      if (lane.aliveUntil > asked) return true
      if (!lane.stop.signal.aborted) this.#stale(lane)
      return false
    })
    if (held.length === 0) return
    const renewed = await this.#ask((store, signal) =>
      store.renew(
        owner,
        held.map(({ ref, fence }) => ({ ...ref, fence })),
        settings.leaseMs,
        signal,
      ),
    )
    const kept = new Map(renewed.ok ? renewed.value.map((one) => [laneKey(one), one] as const) : [])
    for (const lane of held) {
      const one = kept.get(laneKey(lane.ref))
      if (one) {
        lane.lease.prolong(asked, settings.leaseMs)
        if (one.controls > lane.controls.length) void this.#inbox(lane)
      } else if (!renewed.ok && lane.lease.left() <= 0) lane.lease.lose('the lease ran out', false)
      else if (renewed.ok && this.#owned.get(laneKey(lane.ref)) === lane)
        lane.lease.lose('the lease was taken over')
    }
  }

  /**
   * It stands still: it is left for whoever looks next, and that counts against it as a crash does.
   */
  #stale(lane: Owned): void {
    lane.stop.abort('stale' satisfies Stop)
    lane.crashes++
    void this.#ask((store, signal) =>
      store.acquit({ ...lane.ref, fence: lane.fence }, lane.crashes, signal),
    )
  }

  /** All that a claimed lane has to do, until it is released, parked or lost. Never rejects. */
  async #serve(lane: Owned, row: LaneRow, first: InboxItem | undefined): Promise<void> {
    try {
      const served = await this.#work(lane, row, first)
      if (!served.ok) this.#refuse(lane, served.error)
    } catch (cause) {
      this.#around.log.error('lane_failed', { session: lane.ref.session, error: messageOf(cause) })
      lane.live?.end('left')
    } finally {
      lane.quiet()
      lane.services.end()
      if (this.#owned.get(laneKey(lane.ref)) === lane) this.#owned.delete(laneKey(lane.ref))
      this.#takeovers.ended({ ...lane.ref, fence: lane.fence }, lane.crashes)
      this.#around.changed(lane.ref)
    }
  }

  /**
   * What cannot be read is left as it is, for a release that can, or for when the store answers
   * again.
   */
  #refuse(lane: Owned, { code, message }: Failure): void {
    // The session is not to blame for the crash before.
    if (lane.crashes > 0)
      void this.#ask((store, signal) => store.acquit({ ...lane.ref, fence: lane.fence }, 0, signal))
    lane.crashes = 0
    this.#around.log.error('lane_refused', { session: lane.ref.session, code, error: message })
    lane.live?.push({ type: 'error', code, message }, this.#around.clock.now())
    lane.live?.end('doubt')
  }

  async #work(
    lane: Owned,
    row: LaneRow,
    first: InboxItem | undefined,
  ): Promise<Result<void, Failure>> {
    const state = laneStateOf(row)
    if (!state.ok) return state
    const resident = this.#residents.take(laneKey(lane.ref), row.head)
    let history = resident?.history
    lane.services.resume(resident)
    let run = state.value.kind === 'run' ? state.value : undefined
    let messages: readonly InboxItem[] = first ? [first] : []
    // Whoever had it last may have died of it.
    let again = row.crashes > 0
    if (run && row.controls > 0) await this.#inbox(lane)
    for (;;) {
      if (this.#around.closing()) {
        lane.live?.end('left')
        await this.#handBack([lane])
        return ok(undefined)
      }
      if (!history || history.stale || history.depth !== this.#around.depth()) {
        const folded = await this.#fold(lane)
        if (!folded.ok) return folded
        history = folded.value
      }
      if (!run && messages.length === 0) {
        const found = await this.#inbox(lane)
        if (!found.ok) return found
        messages = found.value
      }
      const [next] = messages
      const turn = run
        ? await this.#resume(lane, run, again, history)
        : next && ok(await this.#begin(lane, next, again, history))
      if (!turn) {
        if (await this.#release(lane)) return ok(undefined)
        continue
      }
      if (!turn.ok) return turn
      if (!run) messages = messages.slice(1)
      lane.turn = turn.value
      lane.begunAt = this.#around.clock.monotonic()
      const driven = await drive(turn.value, handlers)
      lane.quiet()
      lane.turn = undefined
      if (driven.kind === 'ended' || driven.kind === 'parked') {
        // Sessions of sub-agents are in no list.
        if (turn.value.delegated) void passUp(lane.ref, turn.value, this.#around, this)
        else this.#around.persisted(lane.ref, turn.value.principal)
      }
      if (driven.kind === 'left' || (driven.kind !== 'handover' && driven.released))
        return ok(undefined)
      run = undefined
      again = false
      if (lane.stop.signal.aborted) lane.stop = this.#stopper(lane)
      if (driven.kind !== 'handover') continue
      // The next generation goes on from what was committed; what was not is forgotten, and heard
      // of once more.
      const left = await this.#ask((store, signal) => store.lane(lane.ref, signal))
      if (!left.ok || !left.value) return left.ok ? ok(undefined) : left
      const kept = laneStateOf(left.value)
      if (!kept.ok) return kept
      if (kept.value.kind === 'run') run = kept.value
      lane.heard.clear()
      lane.controls = []
      const found = await this.#inbox(lane)
      messages = found.ok ? found.value : []
    }
  }

  #stopper(lane: Owned): AbortController {
    const stop = new AbortController()
    if (lane.lease.signal.aborted) stop.abort('lost' satisfies Stop)
    else
      lane.lease.signal.addEventListener('abort', () => stop.abort('lost' satisfies Stop), {
        once: true,
      })
    return stop
  }

  async #fold(lane: Owned): Promise<Result<History, Failure>> {
    const history = new History(this.#around.depth())
    const entries = lane.writer.head === 0 ? ok([]) : await this.#entries(lane, 0)
    if (!entries.ok) return entries
    for (const entry of entries.value) history.apply(entry, entry.seq)
    history.withheld.push(...withheldIn(entries.value, lane.ref, this.#around.sealer()))
    return ok(history)
  }

  async #entries(
    { ref, writer }: Owned,
    after: number,
  ): Promise<Result<readonly Placed[], Failure>> {
    const stored = await this.#ask((store, signal) =>
      store.entries(ref, { after, upto: writer.head }, signal),
    )
    return stored.ok ? readEntries(stored.value) : stored
  }

  /** The messages that wait. Controls are heard of on the way. */
  async #inbox(lane: Owned): Promise<Result<readonly InboxItem[], Failure>> {
    const items = await this.#ask((store, signal) => store.inbox(lane.ref, signal))
    if (!items.ok) return items
    this.#hear(
      lane,
      items.value.filter(({ control }) => control),
    )
    return ok(items.value.filter(({ control }) => !control))
  }

  /**
   * The same, asked again for as long as the session is ours: without what was said nobody knows
   * how it goes on.
   */
  async #surely(lane: Owned): Promise<Result<void, Failure>> {
    for (;;) {
      const found = await this.#inbox(lane)
      if (found.ok) return ok(undefined)
      if (lane.lease.left() <= lane.lease.margin || lane.stop.signal.aborted) return found
      await sleep(AGAIN_MS, lane.stop.signal)
    }
  }

  #hear(lane: Owned, controls: readonly InboxItem[]): void {
    const fresh = controls.filter(({ key }) => !lane.heard.has(key))
    for (const { key } of fresh) lane.heard.add(key)
    lane.controls = [...lane.controls, ...fresh]
    if (fresh.some(isCancel)) lane.stop.abort('cancelled' satisfies Stop)
  }

  #heard(lane: Owned): readonly InboxItem[] {
    const { controls } = lane
    lane.controls = []
    return controls
  }

  /**
   * Nothing to do: gives the lane back, with stale controls taken. `false`: something came in
   * meanwhile.
   */
  async #release(lane: Owned): Promise<boolean> {
    for (const item of this.#heard(lane)) lane.writer.took(item)
    const kept = await lane.writer.commit({ v: 1, kind: 'idle' }, 'end')
    return kept.kind !== 'ok' || kept.released
  }

  /**
   * A turn for the message that waits the longest. A request to clear is done here: it needs no
   * model.
   */
  async #begin(lane: Owned, item: InboxItem, again: boolean, history: History): Promise<LoopTurn> {
    const { writer } = lane
    const body = JSON.parse(item.body) as InboxBody // written by `send` and `clear`
    writer.took(item)
    const message = body.kind === 'message' ? body : undefined
    const acquired = this.#around.acquire(
      body.kind === 'message' || body.kind === 'settle' ? (body.roles ?? []) : undefined,
    )
    const { bundle } = acquired
    const maxTurns = bundle.manifest.limits.maxTurns ?? this.#around.settings.maxTurns
    const record = newRun(body, {
      head: writer.head,
      bundle: bundle.hash,
      maxTurns,
      now: this.#around.clock.now(),
      again,
    })
    const turn = this.#turn(
      lane,
      item.key,
      record,
      { kind: 'thinking', step: 1 },
      { ...acquired, again, history, past: [] },
    )
    if (body.kind === 'settle') return this.#settling(lane, body, turn)
    const staged = stage(
      [
        turn.fact(
          message
            ? {
                kind: 'user_message',
                key: item.key,
                principal: message.principal,
                text: message.text,
                bundle: bundle.hash,
                ...(message.images ? { images: message.images } : {}),
                ...(message.context ? { context: message.context } : {}),
                ...(message.sessionState ? { session_state: message.sessionState } : {}),
              }
            : { kind: 'compacted', cause: 'clear', upto: writer.head, summary: '' },
        ),
      ],
      turn,
    )
    if (!staged.ok) turn.state = turn.done(staged.error)
    else if (!message || (await this.#orphaned(lane, message)))
      turn.state = { kind: 'done', reason: message ? 'user_abort' : 'model_stop' }
    else if (turn.hooks.run.start.tapped && turn.stopped === undefined) {
      const verdict = await turn.hooks.run.start.call(
        { run: turn.run, text: message.text, limits: message.limits ?? {} },
        turn,
      )
      if (!verdict.ok) turn.state = turn.done(verdict.error)
      else if (verdict.value)
        turn.state = {
          kind: 'done',
          reason: verdict.value.reason,
          error: failure('TOOL_DENIED', verdict.value.message),
        }
    }
    return turn
  }

  /**
   * A sub-agent whose parent does not wait for it any more: its message was still on its way when
   * the parent was cancelled.
   */
  async #orphaned(
    { ref }: Owned,
    message: Extract<InboxBody, { kind: 'message' }>,
  ): Promise<boolean> {
    const parent =
      message.delegated === true ? await parentOf(ref, (work) => this.#ask(work)) : undefined
    return parent !== undefined && !parent.waits
  }

  /** No turn of the model: a person settles an effect whose outcome is unknown. */
  async #settling(
    lane: Owned,
    { call, settlement }: Extract<InboxBody, { kind: 'settle' }>,
    turn: LoopTurn,
  ): Promise<LoopTurn> {
    const entries = await this.#entries(lane, 0)
    if (!entries.ok) {
      turn.state = turn.done(entries.error)
      return turn
    }
    const facts = await settleEffect(call, settlement, entries.value, turn)
    const intent = unknownEffect(entries.value, call)?.intent
    if (
      intent?.sealed !== undefined &&
      facts.some((fact) => fact.kind === 'note' && fact.code === OUTCOME_SETTLED)
    )
      lane.writer.erase(intent.seq)
    const staged = stage(facts, turn)
    turn.state = staged.ok ? { kind: 'done', reason: 'model_stop' } : turn.done(staged.error)
    return turn
  }

  /**
   * A turn that was left by a crash (`crashed`), an answer's wait or a reload, from its last
   * commit.
   */
  async #resume(
    lane: Owned,
    kept: Kept,
    crashed: boolean,
    history: History,
  ): Promise<Result<LoopTurn, Failure>> {
    const { clock } = this.#around
    const past = await this.#entries(lane, kept.record.from)
    if (!past.ok) return past
    const acquired = this.#around.acquire(kept.record.roles ?? [])
    const record = crashed ? counted(kept.record, clock.now()) : kept.record
    const { state, unknown } = recover(kept, past.value)
    const opening = past.value.find((entry) => entry.kind === 'user_message')
    const turn = this.#turn(
      lane,
      opening?.kind === 'user_message' ? opening.key : record.run,
      { ...record, bundle: acquired.bundle.hash },
      state,
      {
        ...acquired,
        again: crashed,
        history,
        past: past.value,
      },
    )
    const staged = stage(
      [
        ...(crashed
          ? [
              turn.fact({
                kind: 'note',
                code: 'recovered',
                text: `The run was picked up again in "${kept.state.kind}".`,
                data: { count: record.recovery.count },
              }),
            ]
          : []),
        ...(record.bundle === acquired.bundle.hash
          ? []
          : [
              turn.fact({
                kind: 'note',
                code: 'bundle_changed',
                text: 'The run goes on with other files than it began with.',
              }),
            ]),
        // An effect in flight without a key: it may have happened, so it is not repeated, and
        // everybody is told.
        ...unknown.map(({ id, name }) =>
          turn.fact({
            kind: 'tool_outcome',
            call: id,
            name,
            status: 'unknown',
            ms: 0,
            code: 'OUTCOME_UNKNOWN',
            in_doubt: doubtsOf(id, record.run, past.value),
            output:
              'The server stopped while this ran. Whether it took effect is unknown: check before repeating it.',
          }),
        ),
      ],
      turn,
    )
    if (!staged.ok) turn.state = turn.done(staged.error)
    return ok(turn)
  }

  #turn(lane: Owned, key: string, record: RunRecord, state: AgentState, more: Begun): LoopTurn {
    const { clock, settings, compile } = this.#around
    const { generation, release, history } = more
    const { ref, writer, lease, services } = lane
    const live =
      lane.live?.key === key && lane.live.ended === undefined
        ? lane.live
        : new LiveLog(key, writer.head, lane.fence)
    lane.live = live
    this.#around.changed(ref)
    const { timeoutSeconds, stalenessSeconds } = more.bundle.manifest.limits
    const seconds = Math.min(timeoutSeconds ?? Infinity, record.max_seconds ?? Infinity)
    const unset =
      seconds === Infinity
        ? undefined
        : alarm(Math.max(0, seconds * 1_000 - (record.elapsed_ms ?? 0)), () =>
            lane.stop.abort('deadline' satisfies Stop),
          )
    const handover = (): void => lane.stop.abort('handover' satisfies Stop)
    generation.signal.addEventListener('abort', handover, { once: true })
    const turn = new LoopTurn({
      ...more,
      sessionScope: services.for(generation, { ...ref, principal: record.principal }),
      ref,
      record,
      state,
      writer,
      lease,
      live,
      clock,
      settings,
      compile,
      aside,
      time: lane.time,
      stop: lane.stop.signal,
      events: (entry) => project(entry, true),
      log: generation.log.child({ session: ref.session, run: record.run, tenant: ref.tenant }),
      answers: more.hooks.confirm.ask.tapped,
      controls: async () => {
        const looked = lane.controls.length > 0 ? ok(undefined) : await this.#surely(lane)
        return looked.ok ? ok(this.#heard(lane)) : looked
      },
      heard: () => this.#heard(lane),
      released: (left) => {
        // Before anybody hears of it: the next message may claim the lane in this very tick.
        if (this.#residents.keep(laneKey(ref), { history, scope: services.made }, writer.head))
          services.handOver()
        if (this.#owned.get(laneKey(ref)) === lane) this.#owned.delete(laneKey(ref))
        const soonest =
          left.kind === 'confirming'
            ? Math.min(
                ...left.asks.map(({ answered, expires_at: at }) =>
                  answered ? Infinity : (at ?? Infinity),
                ),
              )
            : Infinity
        if (soonest < Infinity) this.#alarm(soonest - lane.time.now())
      },
      working: () => this.#pulse.working(),
      alive: (ms = 0) => {
        lane.aliveUntil =
          clock.monotonic() +
          ms +
          (stalenessSeconds === undefined ? settings.stalenessMs : stalenessSeconds * 1_000)
      },
    })
    lane.quiet = () => {
      lane.quiet = () => undefined
      generation.signal.removeEventListener('abort', handover)
      unset?.()
      services.runEnds(turn.close().finally(release))
    }
    return turn
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

  #ask<T>(
    ask: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    return askStore(this.#around.settings.storeMs, (signal) => ask(this.#around.store(), signal))
  }
}

function laneStateOf(row: LaneRow): Result<LaneState, Failure> {
  const state = stateOf(row)
  return state.v === 1
    ? ok(state)
    : err(failure('UNKNOWN_ENTRY_VERSION', 'the session was left by a newer release'))
}
