import {
  type AgentBundle, type AgentHooks, type AgentState, askId, askStore, type Clock, deadline, drive, err, failure, type Failure, type Generation,
  type InboxBody, type InboxItem, type InstanceId, JournalWriter, LaneLease, type LaneRef, type LaneRow, type LaneState,
  type Logger, messageOf, ok, openAsks, type Placed, type PrincipalId, readEntries, type Result, type RunRecord,
  type Sealer, type SessionStore, stage, type StateKind, stateOf, type Stop, SYSTEM,
} from '@amodal/sdk'
import { aside } from './aside.ts'
import type { CompileCache } from './compile.ts'
import { isCancel } from './confirming.ts'
import { handlers } from './handlers.ts'
import { History } from './history.ts'
import { LoopTurn } from './loop-turn.ts'
import { project } from './project.ts'
import { LiveLog } from './live-log.ts'
import { newRun } from './new-run.ts'
import { counted, recover } from './recover.ts'
import { Residents } from './residents.ts'
import type { RuntimeSettings } from './settings.ts'
import { withheldIn } from './withheld.ts'

type Kept = Extract<LaneState, { kind: 'run' }>

/** What a turn holds on to; a reload waits for `release`. */
export interface Acquired { readonly generation: Generation; readonly hooks: AgentHooks; readonly bundle: AgentBundle; readonly release: () => void }

/** What a turn begins with. */
interface Begun extends Acquired { readonly again: boolean; readonly history: History; readonly past: readonly Placed[] }

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
  /** The wiring around is taken down: what begins now is for the next one, and maybe for another loop. */
  closing(): boolean
  /** A session has something new for readers. */
  changed(ref: LaneRef): void
  /** A run of the session has ended, or waits for a person. */
  persisted(ref: LaneRef, principal: PrincipalId): void
}

/** A lane while this process owns it. */
interface Owned {
  readonly ref: LaneRef
  readonly lease: LaneLease
  readonly fence: number
  readonly writer: JournalWriter
  stop: AbortController
  turn: LoopTurn | undefined
  live: LiveLog | undefined
  /** Controls that are known here and were not taken yet. */
  controls: readonly InboxItem[]
  /** Keys of controls that were known at some time: what was taken is not heard again from a look that came late. */
  readonly heard: Set<string>
  /** Monotonic ms until which a standstill is no reason to give up. */
  aliveUntil: number
  /** Undoes the timers and listeners of the turn in progress. */
  quiet: () => void
}

/** The longest that a timer can wait. */
const MAX_WAIT = 2 ** 31 - 1
/** By so many ms at most a timer is ahead of the clock. */
const EARLY = 5

export const laneKey = ({ tenant, session }: LaneRef): string => `${tenant}\0${session}`

/** One turn at a time per session: serves the lanes this process owns, keeps their leases, takes over lapsed ones. */
export class TurnQueue {
  readonly #around: Surround
  readonly #owned = new Map<string, Owned>()
  readonly #residents: Residents
  readonly #tasks = new Set<Promise<void>>()
  #beat: ReturnType<typeof setInterval> | undefined
  #sweeper: ReturnType<typeof setInterval> | undefined
  readonly #alarms = new Set<ReturnType<typeof setTimeout>>()
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

  runs(): readonly { readonly ref: LaneRef; readonly turn: LoopTurn; readonly state: StateKind }[] {
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
    const { clock, settings } = this.#around
    const lease = new LaneLease(clock, asked, settings.leaseMs)
    const lane: Owned = {
      ref: { tenant: row.tenant, session: row.session }, lease, fence: row.fence, writer: new JournalWriter(this.#around.store(), row, lease, settings, clock),
      stop: new AbortController(), turn: undefined, live: first?.live, controls: [], heard: new Set(),
      aliveUntil: clock.monotonic() + settings.stalenessMs, quiet: () => undefined,
    }
    lease.signal.addEventListener('abort', () => lane.stop.abort('lost' satisfies Stop), { once: true })
    this.#owned.get(laneKey(lane.ref))?.lease.lose('claimed again')
    this.#owned.set(laneKey(lane.ref), lane)
    const task = this.#serve(lane, row, first?.item)
    this.#tasks.add(task)
    void task.finally(() => this.#tasks.delete(task))
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

  forget(ref: LaneRef): void { this.#residents.drop(laneKey(ref)) }

  /** Settles questions of a parked run whose time is over, for whoever notices. */
  async expire(ref: LaneRef): Promise<void> {
    const { owner, clock, settings } = this.#around
    const found = await this.#ask((store, signal) => store.lane(ref, signal))
    const lane = found.ok ? found.value : undefined
    const late = lane && openAsks(stateOf(lane)).find(({ expires_at: at }) => at !== undefined && at <= clock.now())
    if (!late || this.#closed) return
    // An answer to no question: it only wakes the run, which sees the time for itself.
    const key = `expired:${late.id}`
    const body: InboxBody = { kind: 'answer', ask: askId(key), answer: {}, principal: SYSTEM }
    const asked = clock.monotonic()
    const said = await this.#ask((store, signal) => store.accept({ ...ref, key, body: JSON.stringify(body), control: true, owner, leaseMs: settings.leaseMs }, signal))
    if (said.ok && said.value.claimed && said.value.lane) this.claim(said.value.lane, asked)
  }

  /** Takes lanes whose owner is gone, and those with work that nobody took. `all`: at boot, on storage only this process can reach. */
  async sweep(all: boolean): Promise<void> {
    if (this.#sweeping || this.#closed) return
    this.#sweeping = true
    const { owner, clock, settings } = this.#around
    for (let more = true; more && !this.#closed;) {
      const asked = clock.monotonic()
      const rows = await this.#ask((store, signal) => store.takeover(owner, all ? -1 : settings.marginMs, settings.leaseMs, 20, signal))
      for (const row of rows.ok ? rows.value : []) this.claim(row, asked)
      more = rows.ok && rows.value.length === 20
    }
    this.#sweeping = false
  }

  /** Waits for runs; those that are left go on elsewhere from their last commit. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweeper)
    for (const alarm of this.#alarms) clearTimeout(alarm)
    await this.#settled(this.#around.settings.drainMs)
    const left = [...this.#owned.values()]
    for (const { lease } of left) lease.lose('the server stops', false)
    await this.#settled(1_000)
    clearInterval(this.#beat)
    if (left.length > 0) await this.#handBack(left)
  }

  /** A lease of no length: whoever looks next may take over at once. */
  async #handBack(lanes: readonly Owned[]): Promise<void> {
    await this.#ask((store, signal) => store.renew(this.#around.owner, lanes.map(({ ref, fence }) => ({ ...ref, fence })), 0, signal))
  }

  async #settled(ms: number): Promise<void> {
    const limit = deadline(undefined, ms)
    await Promise.race([Promise.allSettled([...this.#tasks]), new Promise((resolve) => { limit.signal.addEventListener('abort', resolve, { once: true }) })])
    limit.clear()
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
    const renewed = await this.#ask((store, signal) => store.renew(owner, held.map(({ ref, fence }) => ({ ...ref, fence })), settings.leaseMs, signal))
    const kept = new Map(renewed.ok ? renewed.value.map((one) => [laneKey(one), one] as const) : [])
    for (const lane of held) {
      const one = kept.get(laneKey(lane.ref))
      if (one) {
        lane.lease.prolong(asked, settings.leaseMs)
        if (one.controls > lane.controls.length) void this.#inbox(lane)
      } else if (!renewed.ok && lane.lease.left() <= 0) lane.lease.lose('the lease ran out', false)
      else if (renewed.ok && this.#owned.get(laneKey(lane.ref)) === lane) lane.lease.lose('the lease was taken over')
    }
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
      if (this.#owned.get(laneKey(lane.ref)) === lane) this.#owned.delete(laneKey(lane.ref))
      this.#around.changed(lane.ref)
    }
  }

  /** What cannot be read is left as it is, for a release that can, or for when the store answers again. */
  #refuse(lane: Owned, { code, message }: Failure): void {
    this.#around.log.error('lane_refused', { session: lane.ref.session, code, error: message })
    lane.live?.push({ type: 'error', code, message }, this.#around.clock.now())
    lane.live?.end('doubt')
  }

  async #work(lane: Owned, row: LaneRow, first: InboxItem | undefined): Promise<Result<void, Failure>> {
    const state = laneStateOf(row)
    if (!state.ok) return state
    let history = this.#residents.take(laneKey(lane.ref), row.head)
    let run = state.value.kind === 'run' ? state.value : undefined
    let messages: readonly InboxItem[] = first ? [first] : []
    // Not asked for just now: whoever had it last may have died of it.
    let again = first === undefined && run?.state.kind !== 'confirming'
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
      const turn = run ? await this.#resume(lane, run, again, history) : next && ok(await this.#begin(lane, next, again, history))
      if (!turn) {
        if (await this.#release(lane)) return ok(undefined)
        continue
      }
      if (!turn.ok) return turn
      if (!run) messages = messages.slice(1)
      lane.turn = turn.value
      const driven = await drive(turn.value, handlers)
      lane.quiet()
      lane.turn = undefined
      // Sessions of sub-agents are in no list.
      if ((driven.kind === 'ended' || driven.kind === 'parked') && !turn.value.delegated) this.#around.persisted(lane.ref, turn.value.principal)
      if (driven.kind === 'left' || (driven.kind !== 'handover' && driven.released)) return ok(undefined)
      run = undefined
      again = false
      if (lane.stop.signal.aborted) lane.stop = this.#stopper(lane)
      if (driven.kind !== 'handover') continue
      // The next generation goes on from what was committed; what was not is forgotten, and heard of once more.
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
    else lane.lease.signal.addEventListener('abort', () => stop.abort('lost' satisfies Stop), { once: true })
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

  async #entries({ ref, writer }: Owned, after: number): Promise<Result<readonly Placed[], Failure>> {
    const stored = await this.#ask((store, signal) => store.entries(ref, { after, upto: writer.head }, signal))
    return stored.ok ? readEntries(stored.value) : stored
  }

  /** The messages that wait. Controls are heard of on the way. */
  async #inbox(lane: Owned): Promise<Result<readonly InboxItem[], Failure>> {
    const items = await this.#ask((store, signal) => store.inbox(lane.ref, signal))
    if (!items.ok) return items
    this.#hear(lane, items.value.filter(({ control }) => control))
    return ok(items.value.filter(({ control }) => !control))
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

  /** Nothing to do: gives the lane back, with stale controls taken. `false`: something came in meanwhile. */
  async #release(lane: Owned): Promise<boolean> {
    for (const item of this.#heard(lane)) lane.writer.took(item)
    const kept = await lane.writer.commit({ v: 1, kind: 'idle' }, 'end')
    return kept.kind !== 'ok' || kept.released
  }

  /** A turn for the message that waits the longest. A request to clear is done here: it needs no model. */
  async #begin(lane: Owned, item: InboxItem, again: boolean, history: History): Promise<LoopTurn> {
    const { writer } = lane
    const body = JSON.parse(item.body) as InboxBody // written by `send` and `clear`
    writer.took(item)
    const message = body.kind === 'message' ? body : undefined
    const acquired = this.#around.acquire(message && (message.roles ?? []))
    const { bundle } = acquired
    const maxTurns = bundle.manifest.limits.maxTurns ?? this.#around.settings.maxTurns
    const record = newRun(body, { head: writer.head, bundle: bundle.hash, maxTurns, now: this.#around.clock.now(), again })
    const turn = this.#turn(lane, item.key, record, { kind: 'thinking', step: 1 }, { ...acquired, again, history, past: [] })
    const staged = stage([turn.fact(message ? {
      kind: 'user_message', key: item.key, principal: message.principal, text: message.text, bundle: bundle.hash,
      ...(message.images ? { images: message.images } : {}), ...(message.context ? { context: message.context } : {}),
      ...(message.sessionState ? { session_state: message.sessionState } : {}),
    } : { kind: 'compacted', cause: 'clear', upto: writer.head, summary: '' })], turn)
    if (!staged.ok) turn.state = turn.done(staged.error)
    else if (!message) turn.state = { kind: 'done', reason: 'model_stop' }
    else if (turn.hooks.run.start.tapped) {
      const verdict = await turn.hooks.run.start.call({ run: turn.run, text: message.text, limits: message.limits ?? {} }, turn)
      if (!verdict.ok) turn.state = turn.done(verdict.error)
      else if (verdict.value) turn.state = { kind: 'done', reason: verdict.value.reason, error: failure('TOOL_DENIED', verdict.value.message) }
    }
    return turn
  }

  /** A turn that was left by a crash (`crashed`), an answer's wait or a reload, from its last commit. */
  async #resume(lane: Owned, kept: Kept, crashed: boolean, history: History): Promise<Result<LoopTurn, Failure>> {
    const { clock } = this.#around
    const past = await this.#entries(lane, kept.record.from)
    if (!past.ok) return past
    const acquired = this.#around.acquire(kept.record.roles ?? [])
    const { record, gaveUp } = crashed ? counted(kept.record, clock.now()) : { record: kept.record, gaveUp: false }
    const { state, unknown } = recover(kept, past.value)
    const opening = past.value.find((entry) => entry.kind === 'user_message')
    // The time that a person took is not the run's.
    const waited = kept.state.kind === 'confirming' ? clock.now() - (past.value.at(-1)?.at ?? clock.now()) : 0
    const turn = this.#turn(lane, opening?.kind === 'user_message' ? opening.key : record.run, { ...record, started_at: record.started_at + waited, bundle: acquired.bundle.hash }, state, {
      ...acquired, again: crashed, history, past: past.value,
    })
    const staged = stage([
      ...(crashed ? [turn.fact({ kind: 'note', code: 'recovered', text: `The run was picked up again in "${kept.state.kind}".`, data: { count: record.recovery.count } })] : []),
      ...(record.bundle === acquired.bundle.hash ? [] : [turn.fact({ kind: 'note', code: 'bundle_changed', text: 'The run goes on with other files than it began with.' })]),
      // An effect in flight without a key: it may have happened, so it is not repeated, and everybody is told.
      ...unknown.map(({ id, name }) => turn.fact({
        kind: 'tool_outcome', call: id, name, status: 'unknown', ms: 0, code: 'OUTCOME_UNKNOWN',
        output: 'The server stopped while this ran. Whether it took effect is unknown: check before repeating it.',
      })),
    ], turn)
    if (!staged.ok) turn.state = turn.done(staged.error)
    else if (gaveUp) turn.state = turn.done(failure('RECOVERY_GAVE_UP', `this run stopped its server ${record.recovery.count} times and is not tried again`))
    return ok(turn)
  }

  #turn(lane: Owned, key: string, record: RunRecord, state: AgentState, more: Begun): LoopTurn {
    const { clock, settings, compile } = this.#around
    const { generation, release, history } = more
    const { ref, writer, lease } = lane
    const live = lane.live?.key === key && lane.live.ended === undefined ? lane.live : new LiveLog(key, writer.head, lane.fence)
    lane.live = live
    this.#around.changed(ref)
    const { timeoutSeconds, stalenessSeconds } = more.bundle.manifest.limits
    const seconds = Math.min(timeoutSeconds ?? Infinity, record.max_seconds ?? Infinity)
    const timer = seconds === Infinity ? undefined : setTimeout(() => lane.stop.abort('deadline' satisfies Stop), Math.max(0, record.started_at + seconds * 1_000 - clock.now()))
    const handover = (): void => lane.stop.abort('handover' satisfies Stop)
    generation.signal.addEventListener('abort', handover, { once: true })
    const turn = new LoopTurn({
      ...more, ref, record, state, writer, lease, live, clock, settings, compile, aside, stop: lane.stop.signal, events: (entry) => project(entry, true),
      log: generation.log.child({ session: ref.session, run: record.run }), answers: more.hooks.confirm.ask.tapped,
      controls: async () => {
        const looked = lane.controls.length > 0 ? ok(undefined) : await this.#inbox(lane)
        return looked.ok ? ok(this.#heard(lane)) : looked
      },
      heard: () => this.#heard(lane),
      released: (left) => {
        // Before anybody hears of it: the next message may claim the lane in this very tick.
        this.#residents.keep(laneKey(ref), history, writer.head)
        if (this.#owned.get(laneKey(ref)) === lane) this.#owned.delete(laneKey(ref))
        const soonest = left.kind === 'confirming' ? Math.min(...left.asks.map(({ answered, expires_at: at }) => (answered ? Infinity : at ?? Infinity))) : Infinity
        if (soonest < Infinity) this.#alarm(ref, soonest - clock.now())
      },
      alive: (ms = 0) => { lane.aliveUntil = clock.monotonic() + ms + (stalenessSeconds === undefined ? settings.stalenessMs : stalenessSeconds * 1_000) },
    })
    lane.quiet = () => {
      lane.quiet = () => undefined
      generation.signal.removeEventListener('abort', handover)
      clearTimeout(timer)
      void turn.close().finally(release)
    }
    return turn
  }

  /** A question is settled when its time is over, without waiting for anybody to come by. */
  #alarm(ref: LaneRef, ms: number): void {
    const alarm = setTimeout(() => {
      this.#alarms.delete(alarm)
      void this.expire(ref)
    }, Math.min(MAX_WAIT, Math.max(0, ms) + EARLY))
    alarm.unref?.()
    this.#alarms.add(alarm)
  }

  #ask<T>(ask: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
    return askStore(this.#around.settings.storeMs, (signal) => ask(this.#around.store(), signal))
  }
}

function laneStateOf(row: LaneRow): Result<LaneState, Failure> {
  const state = stateOf(row)
  return state.v === 1 ? ok(state) : err(failure('UNKNOWN_ENTRY_VERSION', 'the session was left by a newer release'))
}
