import { randomUUID } from 'node:crypto'
import { failure, type Failure } from '../errors.ts'
import type { Generation } from '../generation.ts'
import { runId, type InstanceId } from '../ids.ts'
import type { InboxBody, Placed } from '../journal/entry.ts'
import { History } from '../journal/history.ts'
import { LaneLease } from '../journal/lease.ts'
import { recover } from '../journal/recover.ts'
import { readEntries } from '../journal/upcast.ts'
import { JournalWriter } from '../journal/writer.ts'
import { NO_USAGE } from '../messages.ts'
import type { AgentBundle } from '../ports/bundle.ts'
import type { Logger } from '../ports/log.ts'
import type { InboxItem, LaneRef, LaneRow, SessionStore } from '../ports/session-store.ts'
import { err, messageOf, ok, type Result } from '../result.ts'
import { deadline, type Clock } from '../time.ts'
import { cancelOf } from './confirming.ts'
import type { CompileCache } from './compile.ts'
import { LiveLog } from './live-log.ts'
import { Residents } from './residents.ts'
import { drive, stage } from './run.ts'
import type { RuntimeSettings } from './settings.ts'
import type { AgentState, LaneState, RunRecord, StateKind } from './state.ts'
import { Turn, type Stop } from './turn.ts'

type Message = Extract<InboxBody, { kind: 'message' }>

/** What a turn holds on to; a reload waits for `release`. */
export interface Acquired { readonly generation: Generation; readonly bundle: AgentBundle; readonly release: () => void }

/** What the queue needs of the process around it. */
export interface Surround {
  readonly owner: InstanceId
  readonly clock: Clock
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
  store(): SessionStore
  /** The generation and bundle that a new turn takes. */
  acquire(): Promise<Acquired>
  readonly log: Logger
  /** A session has something new for readers. */
  changed(ref: LaneRef): void
}

/** A lane while this process owns it. */
interface Owned {
  readonly ref: LaneRef
  readonly lease: LaneLease
  readonly fence: number
  stop: AbortController
  turn: Turn | undefined
  live: LiveLog | undefined
  /** Controls that arrived here and were not taken yet. */
  controls: InboxItem[]
  /** Monotonic ms until which a standstill is no reason to give up. */
  aliveUntil: number
  /** Undoes the timers and listeners of the turn in progress. */
  quiet: () => void
  readonly task: Promise<void>
}

export const laneKey = ({ tenant, session }: LaneRef): string => `${tenant}\0${session}`

/** One turn at a time per session: serves the lanes this process owns, keeps their leases, takes over lapsed ones. */
export class TurnQueue {
  readonly #around: Surround
  readonly #owned = new Map<string, Owned>()
  readonly #residents: Residents
  readonly #tasks = new Set<Promise<void>>()
  #beat: ReturnType<typeof setInterval> | undefined
  #sweeper: ReturnType<typeof setInterval> | undefined
  #sweeping = false
  #closed = false

  constructor(around: Surround) {
    this.#around = around
    this.#residents = new Residents(around.settings.residentChars)
  }

  get resident(): number { return this.#residents.size }

  /** The live log of a session that is driven here. */
  live(ref: LaneRef): LiveLog | undefined { return this.#owned.get(laneKey(ref))?.live }
  owns(ref: LaneRef): boolean { return this.#owned.has(laneKey(ref)) }

  runs(): readonly { readonly ref: LaneRef; readonly turn: Turn; readonly state: StateKind }[] {
    return [...this.#owned.values()].flatMap(({ ref, turn }) => (turn ? [{ ref, turn, state: turn.state.kind }] : []))
  }

  start(): void {
    const { leaseMs, sweepMs } = this.#around.settings
    this.#beat = setInterval(() => void this.#heartbeat(), Math.max(50, leaseMs / 3))
    this.#sweeper = setInterval(() => void this.sweep(false), sweepMs)
    this.#beat.unref?.()
    this.#sweeper.unref?.()
  }

  /** Begins to serve a lane this process has just claimed; `asked`: monotonic ms from before the claim. */
  claim(row: LaneRow, asked: number, first?: { readonly item: InboxItem; readonly live: LiveLog }): void {
    const lease = new LaneLease(this.#around.clock, asked, this.#around.settings.leaseMs)
    const begin = Promise.withResolvers<void>()
    const lane: Owned = {
      ref: { tenant: row.tenant, session: row.session }, lease, fence: row.fence, stop: new AbortController(), turn: undefined, live: first?.live, controls: [], quiet: () => undefined,
      aliveUntil: this.#around.clock.monotonic() + this.#around.settings.stalenessMs,
      task: begin.promise.then(() => this.#serve(lane, row, first?.item)),
    }
    lease.signal.addEventListener('abort', () => lane.stop.abort('lost' satisfies Stop), { once: true })
    this.#owned.get(laneKey(lane.ref))?.lease.lose('claimed again')
    this.#owned.set(laneKey(lane.ref), lane)
    this.#tasks.add(lane.task)
    void lane.task.finally(() => this.#tasks.delete(lane.task))
    begin.resolve()
  }

  /** A control was accepted for a lane that is served here. */
  control(ref: LaneRef, item: InboxItem): void {
    const lane = this.#owned.get(laneKey(ref))
    if (!lane) return
    lane.controls.push(item)
    if (cancelOf([item])) lane.stop.abort('cancelled' satisfies Stop)
  }

  /** Looks into the inbox of a lane served here: another instance may have put a control there. */
  async poke(ref: LaneRef): Promise<void> {
    const lane = this.#owned.get(laneKey(ref))
    if (!lane) return
    const items = await this.#inbox(lane)
    if (items.ok && cancelOf(items.value.filter(({ control }) => control))) lane.stop.abort('cancelled' satisfies Stop)
  }

  forget(ref: LaneRef): void { this.#residents.drop(laneKey(ref)) }

  /** Takes lanes whose owner is gone, and those with work that nobody took. `all`: at boot, on storage only this process can reach. */
  async sweep(all: boolean): Promise<number> {
    if (this.#sweeping || this.#closed) return 0
    this.#sweeping = true
    try {
      const { owner, clock, settings } = this.#around
      let taken = 0
      for (;;) {
        const asked = clock.monotonic()
        const rows = await this.#within((signal) => this.#around.store().takeover(owner, all ? -1 : settings.marginMs, settings.leaseMs, 20, signal))
        if (!rows.ok) return taken
        for (const row of rows.value) this.claim(row, asked)
        taken += rows.value.length
        if (rows.value.length < 20) return taken
      }
    } finally {
      this.#sweeping = false
    }
  }

  /** Waits for runs; those that are left go on elsewhere from their last commit. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweeper)
    const limit = deadline(undefined, this.#around.settings.drainMs)
    await Promise.race([Promise.allSettled([...this.#tasks]), new Promise((resolve) => limit.signal.addEventListener('abort', resolve, { once: true }))])
    limit.clear()
    const left = [...this.#owned.values()]
    for (const lane of left) lane.stop.abort('lost' satisfies Stop)
    await Promise.race([Promise.allSettled([...this.#tasks]), new Promise((resolve) => setTimeout(resolve, 1_000).unref?.())])
    clearInterval(this.#beat)
    // A lease of no length: whoever looks next may take over at once.
    if (left.length > 0) await this.#within((signal) => this.#around.store().renew(this.#around.owner, left.map(({ ref, fence }) => ({ ...ref, fence })), 0, signal))
  }

  async #heartbeat(): Promise<void> {
    const { clock, settings, owner } = this.#around
    const asked = clock.monotonic()
    const held = [...this.#owned.values()].filter((lane) => {
      if (lane.aliveUntil > asked) return true
      lane.stop.abort('stale' satisfies Stop)
      return false
    })
    if (held.length === 0) return
    const renewed = await this.#within((signal) => this.#around.store().renew(owner, held.map(({ ref, fence }) => ({ ...ref, fence })), settings.leaseMs, signal))
    if (!renewed.ok) return
    const kept = new Map(renewed.value.map((one) => [laneKey(one), one]))
    for (const lane of held) {
      const one = kept.get(laneKey(lane.ref))
      if (one) {
        lane.lease.prolong(asked, settings.leaseMs)
        if (one.controls > lane.controls.length) void this.poke(lane.ref)
      } else if (this.#owned.get(laneKey(lane.ref)) === lane) lane.lease.lose('the lease was taken over')
    }
  }

  /** All that a claimed lane has to do, until it is released, parked or lost. Never rejects. */
  async #serve(lane: Owned, row: LaneRow, first: InboxItem | undefined): Promise<void> {
    try {
      await this.#work(lane, row, first)
    } catch (cause) {
      this.#around.log.error('lane_failed', { session: lane.ref.session, error: messageOf(cause) })
      lane.live?.end('left')
    } finally {
      lane.quiet()
      this.#leave(lane)
    }
  }

  #leave(lane: Owned): void {
    if (this.#owned.get(laneKey(lane.ref)) === lane) this.#owned.delete(laneKey(lane.ref))
    this.#around.changed(lane.ref)
  }

  async #work(lane: Owned, row: LaneRow, first: InboxItem | undefined): Promise<void> {
    const { log } = this.#around
    const writer = new JournalWriter(this.#around.store(), row, lane.lease, this.#around.settings, this.#around.clock)
    const state = JSON.parse(row.state) as LaneState // written by us; its version is checked next
    if (state.v !== 1) return log.error('lane_refused', { session: row.session, code: 'UNKNOWN_ENTRY_VERSION', error: 'the lane was left by a newer release' })
    let history = await this.#history(lane, row.head)
    if (!history.ok) {
      lane.live?.end('doubt')
      return log.error('lane_refused', { session: row.session, code: history.error.code, error: history.error.message })
    }
    let run = state.kind === 'run' ? state : undefined
    let items: readonly InboxItem[] | undefined = first ? [first] : undefined
    for (;;) {
      let turn: Turn | undefined
      if (run) turn = await this.#resume(lane, run, writer, history.value)
      else {
        if (!items || items.length === 0) {
          const found = await this.#inbox(lane)
          if (!found.ok) return
          items = found.value
        }
        const [next, ...rest] = items.filter(({ control }) => !control)
        items = rest
        if (!next) {
          if (await this.#release(lane, writer)) return
          continue
        }
        turn = await this.#begin(lane, next, writer, history.value)
      }
      run = undefined
      if (!turn) continue
      lane.turn = turn
      const driven = await drive(turn)
      lane.quiet()
      lane.turn = undefined
      void turn.close()
      if (items?.length === 0) items = undefined
      if (driven.kind === 'handover') {
        // The next generation goes on from what was committed; what was not is forgotten.
        items = undefined
        history = await this.#history(lane, writer.head, true)
        const left = await this.#within((signal) => this.#around.store().lane(lane.ref, signal))
        if (!history.ok || !left.ok || !left.value) return
        const kept = JSON.parse(left.value.state) as LaneState // written by us
        run = kept.kind === 'run' ? kept : undefined
        lane.stop = this.#stopper(lane)
        continue
      }
      if (driven.kind === 'left') return this.#residents.drop(laneKey(lane.ref))
      if (driven.released) return this.#residents.keep(laneKey(lane.ref), history.value, writer.head)
      if (lane.stop.signal.aborted) lane.stop = this.#stopper(lane)
    }
  }

  #stopper(lane: Owned): AbortController {
    const stop = new AbortController()
    if (lane.lease.signal.aborted) stop.abort('lost' satisfies Stop)
    else lane.lease.signal.addEventListener('abort', () => stop.abort('lost' satisfies Stop), { once: true })
    return stop
  }

  /** The history from memory where it is still that of the journal, or folded anew. */
  async #history(lane: Owned, head: number, anew = false): Promise<Result<History, Failure>> {
    const known = anew ? undefined : this.#residents.take(laneKey(lane.ref), head)
    if (known) return ok(known)
    const history = new History()
    if (head === 0) return ok(history)
    const entries = await this.#entries(lane.ref, 0, head)
    if (!entries.ok) return entries
    for (const entry of entries.value) history.apply(entry, entry.seq)
    return ok(history)
  }

  async #entries(ref: LaneRef, after: number, upto: number): Promise<Result<readonly Placed[], Failure>> {
    const stored = await this.#within((signal) => this.#around.store().entries(ref, { after, upto }, signal))
    return stored.ok ? readEntries(stored.value) : stored
  }

  async #inbox(lane: Owned): Promise<Result<readonly InboxItem[], Failure>> {
    const items = await this.#within((signal) => this.#around.store().inbox(lane.ref, signal))
    if (items.ok) lane.controls = items.value.filter(({ control }) => control)
    return items
  }

  /** Nothing to do: gives the lane back, with stale controls taken. `false`: something came in meanwhile. */
  async #release(lane: Owned, writer: JournalWriter): Promise<boolean> {
    for (const item of lane.controls.splice(0)) writer.took(item)
    const kept = await writer.commit({ v: 1, kind: 'idle' }, 'end')
    return kept.kind !== 'ok' || kept.released
  }

  /** A turn for a message. A request to clear is done here: it needs no model. */
  async #begin(lane: Owned, item: InboxItem, writer: JournalWriter, history: History): Promise<Turn | undefined> {
    const body = JSON.parse(item.body) as InboxBody // written by `send` and `clear`
    writer.took(item)
    const { generation, bundle, release } = await this.#around.acquire()
    const now = this.#around.clock.now()
    const limits = bundle.manifest.limits
    const asked = body.kind === 'message' ? body.limits?.maxTurns : undefined
    const most = limits.maxTurns ?? this.#around.settings.maxTurns
    const record: RunRecord = {
      run: runId(`run_${randomUUID()}`), principal: body.principal, started_at: now, from: writer.head, max_turns: Math.min(asked ?? most, most), usage: NO_USAGE,
      redirects: 0, recovery: { count: 0, since: 0 }, bundle: bundle.hash, ...(body.kind === 'message' && body.limits?.model ? { model: body.limits.model } : {}),
    }
    const live = lane.live?.key === item.key && lane.live.ended === undefined ? lane.live : new LiveLog(item.key, writer.head, lane.fence)
    lane.live = live
    this.#around.changed(lane.ref)
    const message = body.kind === 'message' ? body : undefined
    const turn = this.#turn(lane, record, { kind: 'thinking', step: 1 }, { generation, bundle, release, history, writer, live, past: [], message })
    if (!message) {
      const cleared = stage([turn.fact({ kind: 'compacted', cause: 'clear', upto: writer.head, summary: '' })], turn)
      turn.state = cleared.ok ? { kind: 'done', reason: 'model_stop' } : turn.done(cleared.error)
      return turn
    }
    const staged = stage([turn.fact({
      kind: 'user_message', key: item.key, principal: message.principal, text: message.text, bundle: bundle.hash,
      ...(message.images ? { images: message.images } : {}), ...(message.context ? { context: message.context } : {}),
    })], turn)
    if (!staged.ok) turn.state = turn.done(staged.error)
    else if (turn.hooks.run.start.tapped) {
      const verdict = await turn.hooks.run.start.call({ run: turn.run, text: message.text, limits: message.limits ?? {} }, turn)
      if (!verdict.ok) turn.state = turn.done(verdict.error)
      else if (verdict.value) turn.state = { kind: 'done', reason: verdict.value.reason, error: failure('TOOL_DENIED', verdict.value.message) }
    }
    return turn
  }

  /** A turn that was left by a crash, an answer's wait or a reload, from its last commit. */
  async #resume(lane: Owned, kept: Extract<LaneState, { kind: 'run' }>, writer: JournalWriter, history: History): Promise<Turn | undefined> {
    const past = await this.#entries(lane.ref, kept.record.from, writer.head)
    if (!past.ok) throw new Error(past.error.message)
    const { generation, bundle, release } = await this.#around.acquire()
    const crashed = kept.state.kind !== 'confirming'
    const { record, state, interrupted, gaveUp } = crashed ? recover(kept, past.value, this.#around.clock.now()) : { record: kept.record, state: kept.state, interrupted: [], gaveUp: false }
    const opening = past.value.find((entry) => entry.kind === 'user_message')
    const live = new LiveLog(opening?.kind === 'user_message' ? opening.key : record.run, writer.head, lane.fence)
    lane.live = live
    this.#around.changed(lane.ref)
    const turn = this.#turn(lane, { ...record, bundle: bundle.hash }, state, { generation, bundle, release, history, writer, live, past: past.value, message: undefined })
    const notes = [
      ...(crashed ? [turn.fact({ kind: 'note', code: 'recovered', text: `The run was picked up again in "${state.kind}".`, data: { count: record.recovery.count } })] : []),
      ...(record.bundle === bundle.hash ? [] : [turn.fact({ kind: 'note', code: 'bundle_changed', text: 'The run goes on with other files than it began with.' })]),
      // An effect in flight without a key: it may have happened, so it is not repeated, and everybody is told.
      ...interrupted.flatMap(({ call, intent }) => (intent.keyed ? [] : [turn.fact({
        kind: 'tool_outcome', call: call.id, name: call.name, status: 'unknown', ms: 0, code: 'OUTCOME_UNKNOWN',
        output: 'The server stopped while this ran. Whether it took effect is unknown: check before repeating it.',
      })])),
    ]
    if (gaveUp) turn.state = turn.done(failure('RECOVERY_GAVE_UP', `this run stopped its server ${record.recovery.count} times and is not tried again`))
    else if (state.kind === 'executing') {
      const unknown = new Set(interrupted.filter(({ intent }) => !intent.keyed).map(({ call }) => call.id))
      turn.state = { ...state, calls: state.calls.map((call) => (unknown.has(call.id) ? { ...call, phase: 'settled' } : call)) }
    }
    const staged = stage(notes, turn)
    if (!staged.ok) turn.state = turn.done(staged.error)
    if (!crashed || turn.state.kind === 'done') return turn
    // Counted before anything is tried again: a run that kills its server must come to an end.
    const counted = await writer.commit(turn.laneState(turn.state), 'hold')
    if (counted.kind !== 'ok' || !counted.mine) {
      live.end('left')
      throw new Error(`the recovery could not be written: ${counted.kind}`)
    }
    turn.tell(counted.entries, writer.head)
    return turn
  }

  #turn(lane: Owned, record: RunRecord, state: AgentState, more: Acquired & { readonly history: History; readonly writer: JournalWriter; readonly live: LiveLog; readonly past: readonly Placed[]; readonly message: Message | undefined }): Turn {
    const { clock, settings, compile } = this.#around
    const seconds = more.bundle.manifest.limits.timeoutSeconds
    const handover = (): void => lane.stop.abort('handover' satisfies Stop)
    more.generation.signal.addEventListener('abort', handover, { once: true })
    const timer = seconds === undefined ? undefined : setTimeout(() => lane.stop.abort('deadline' satisfies Stop), Math.max(0, record.started_at + seconds * 1_000 - clock.now()))
    lane.quiet = () => {
      more.generation.signal.removeEventListener('abort', handover)
      clearTimeout(timer)
      more.release()
    }
    return new Turn({
      ...more, ref: lane.ref, record, state, lease: lane.lease, clock, settings, compile, stop: lane.stop.signal,
      log: more.generation.log.child({ session: lane.ref.session, run: record.run }),
      controls: async () => {
        if (lane.controls.length === 0) {
          const found = await this.#inbox(lane)
          if (!found.ok) return err(found.error)
        }
        return ok(lane.controls.splice(0))
      },
      ended: (released) => {
        if (!released) return
        // Before anybody hears of the end: the next message may claim the lane in this very tick.
        this.#residents.keep(laneKey(lane.ref), more.history, more.writer.head)
        if (this.#owned.get(laneKey(lane.ref)) === lane) this.#owned.delete(laneKey(lane.ref))
      },
      alive: (ms = 0) => { lane.aliveUntil = clock.monotonic() + ms + settings.stalenessMs },
    })
  }

  async #within<T>(work: (signal: AbortSignal) => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
    const limit = deadline(undefined, this.#around.settings.storeMs)
    try {
      return await work(limit.signal)
    } finally {
      limit.clear()
    }
  }
}
