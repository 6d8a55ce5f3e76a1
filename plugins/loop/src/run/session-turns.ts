import {
  type AgentState,
  failure,
  type Failure,
  type InboxBody,
  type InboxItem,
  type JsonObject,
  type StoredState,
  ok,
  OUTCOME_SETTLED,
  seenBy,
  type SequencedEntry,
  type Result,
  type RunRecord,
  type Stop,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { alarm, stage } from '@amodal/sdk/loop'
import { sideCall } from '../model-calls/side-call.ts'
import type { History } from './history.ts'
import { LiveLog } from '../streams/live-log.ts'
import { LoopTurn } from './loop-turn.ts'
import { newRun } from './new-run.ts'
import type { OwnedSession } from '../leases/owned-session.ts'
import { isCalledByTool, parentOf } from '../leases/parent.ts'
import { project } from '../streams/project.ts'
import { withCrashCounted, doubtsOf, recover } from './recover.ts'
import { chooseFiles, type RunOpening } from './run-files.ts'
import { chooseBundle } from './session-bundle.ts'
import { changing } from './session-changes.ts'
import { sharedCopies } from './shared-values.ts'
import { settleEffect, unknownEffect } from './settle.ts'
import type { TurnResources, StoreCall, LoopEnvironment } from '../leases/environment.ts'

export type StoredRun = Extract<StoredState, { kind: 'run' }>
type Message = Extract<InboxBody, { kind: 'message' }>

/** The state that a turn starts from. */
interface TurnStart extends TurnResources {
  readonly afterCrash: boolean
  readonly history: History
  readonly past: readonly SequencedEntry[]
}

interface ChosenResources extends TurnResources {
  /** Joins the state of the session with its message. */
  readonly chosenState: JsonObject
  /** The files are not those that the session began with. */
  readonly changed: boolean
}

interface TurnsParts {
  readonly environment: LoopEnvironment
  readonly callStore: StoreCall
  /** Monotonic ms without the time that this process was suspended. */
  readonly working: () => number
  /** Called when the session is released; `alarmAt`: when its first open question expires. */
  readonly onReleased: (owned: OwnedSession, history: History, alarmAt: number) => void
}

/**
 * Creates the turns of owned sessions: new ones, and those that resume. `OwnedSessions` has a
 * `SessionWork` serve each session, which takes its turns from here and drives them; when a commit
 * of the driver releases the session, `onReleased` tells `OwnedSessions`.
 */
export class SessionTurns {
  readonly #parts: TurnsParts

  constructor(parts: TurnsParts) {
    this.#parts = parts
  }

  /** Creates a turn for an item of the inbox. Requests that need no model are handled here. */
  async begin(
    owned: OwnedSession,
    item: InboxItem,
    afterCrash: boolean,
    history: History,
  ): Promise<LoopTurn> {
    const { environment } = this.#parts
    const { writer } = owned
    const body = parseExact(item.body) as InboxBody // written by `InboxWriter`
    writer.acknowledge(item)
    const message = body.kind === 'message' ? body : undefined
    const run = openingOf(body, history, writer.head === 0)
    const { chosenState, changed, ...resources } = await this.#acquireResources(
      owned,
      rolesOf(body),
      run,
    )
    const { bundle } = resources
    const record = newRun(body, {
      head: writer.head,
      bundle: bundle.hash,
      maxTurns: bundle.manifest.limits.maxTurns ?? environment.settings.maxTurns,
      now: environment.clock.now(),
      afterCrash,
    })
    const turn = this.#turn(
      owned,
      item.key,
      record,
      { kind: 'thinking', step: 1 },
      { ...resources, afterCrash, history, past: [] },
    )
    if (body.kind === 'settle') return settling(owned, body, turn)
    if (body.kind === 'change') return changing(item.key, body, turn)
    const copies = message ? await sharedCopies(turn, this.#parts.callStore) : ok({})
    const messageWithState =
      message && copies.ok ? withState(message, { ...copies.value, ...chosenState }) : message
    const staged = stage(openingEntries(turn, item.key, messageWithState, changed), turn)
    if (!staged.ok) turn.state = turn.done(staged.error)
    else if (!copies.ok) turn.state = turn.done(copies.error)
    else if (!message) turn.state = { kind: 'done', reason: 'model_stop' }
    else if (await this.#orphaned(owned, message, item.key))
      turn.state = { kind: 'done', reason: 'user_abort' }
    else await callRunStart(turn, item.key, message)
    return turn
  }

  /** Resumes a turn from its last commit, after a crash (`afterCrash`), an answer or a reload. */
  async resume(
    owned: OwnedSession,
    storedRun: StoredRun,
    afterCrash: boolean,
    history: History,
  ): Promise<Result<LoopTurn, Failure>> {
    const { environment } = this.#parts
    const past = await owned.entries(storedRun.record.from)
    if (!past.ok) return past
    const opening = past.value.find((entry) => entry.kind === 'user_message')
    const {
      chosenState: _,
      changed: __,
      ...resources
    } = await this.#acquireResources(owned, storedRun.record.roles ?? [], {
      principal: storedRun.record.principal,
      sessionState: { ...opening?.session_state, ...history.sessionState },
      opensSession: false,
      ...(opening?.kind === 'user_message' && opening.context && { context: opening.context }),
    })
    const record = afterCrash
      ? withCrashCounted(storedRun.record, environment.clock.now())
      : storedRun.record
    const { state, unknown } = recover(storedRun, past.value)
    const turn = this.#turn(
      owned,
      opening ? opening.key : record.run,
      { ...record, bundle: resources.bundle.hash },
      state,
      { ...resources, afterCrash, history, past: past.value },
    )
    const recoveryEntries = [
      ...(afterCrash ? [recoveredNote(turn, storedRun, record)] : []),
      ...(record.bundle === resources.bundle.hash ? [] : [changedNote(turn)]),
      // Needed after a handover, too: what was staged of a call in flight was discarded.
      ...unknown.map(({ id, name }) =>
        turn.newEntry({
          kind: 'tool_outcome',
          call: id,
          name,
          status: 'unknown',
          ms: 0,
          code: 'OUTCOME_UNKNOWN',
          in_doubt: doubtsOf(id, record.run, past.value),
          output:
            'This was interrupted while it ran. Whether it took effect is unknown: check before repeating it.',
        }),
      ),
    ]
    const staged = stage(recoveryEntries, turn)
    if (!staged.ok) turn.state = turn.done(staged.error)
    return ok(turn)
  }

  /** Acquires the generation and the files of a run, and the record of the choice of files. */
  async #acquireResources(
    { ref }: OwnedSession,
    roles: readonly string[] | undefined,
    run: Pick<RunOpening, 'principal' | 'sessionState' | 'opensSession' | 'context'>,
  ): Promise<ChosenResources> {
    const resources = this.#parts.environment.acquireResources()
    const { generation } = resources
    const own = await chooseBundle(generation, resources.bundle, { ...ref, ...run })
    const visible = roles ? seenBy(own.bundle, roles, generation.scope) : own.bundle
    const { bundle, sessionState } = await chooseFiles(generation, visible, {
      ...ref,
      ...run,
      ...(roles && { roles }),
    })
    return {
      ...resources,
      bundle,
      chosenState: { ...own.sessionState, ...(run.opensSession && sessionState) },
      changed: own.changed === true,
    }
  }

  /**
   * Whether the parent of a sub-agent no longer waits: it may have been cancelled before the
   * message arrived.
   */
  async #orphaned({ ref }: OwnedSession, message: Message, key: string): Promise<boolean> {
    const parent =
      message.delegated === true ? await parentOf(ref, this.#parts.callStore) : undefined
    return parent !== undefined && !parent.waits && !isCalledByTool(key, parent.state)
  }

  #turn(
    owned: OwnedSession,
    key: string,
    record: RunRecord,
    state: AgentState,
    start: TurnStart,
  ): LoopTurn {
    const { environment, working, onReleased } = this.#parts
    const { clock, settings, compile } = environment
    const { generation, history } = start
    const { ref, writer, lease, services } = owned
    const live = this.#liveLog(owned, key)
    const turn = new LoopTurn({
      ...start,
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
      sideCall,
      time: owned.time,
      stop: owned.stop.signal,
      events: (entry) => project(entry, true),
      log: generation.log.child({ session: ref.session, run: record.run, tenant: ref.tenant }),
      canAutoAnswer: start.hooks.confirm.ask.tapped,
      readControls: () => owned.readControls(),
      takeControls: () => owned.takeControls(),
      onReleased: (finalState) => onReleased(owned, history, soonestOf(finalState)),
      working,
      alive: aliveIn(owned, start, environment),
    })
    this.#watch(owned, turn, start)
    return turn
  }

  /** The live log that was created with this message, or a new one. */
  #liveLog(owned: OwnedSession, key: string): LiveLog {
    const live =
      owned.live?.key === key && owned.live.ended === undefined
        ? owned.live
        : new LiveLog(key, owned.writer.head, owned.fencingToken)
    owned.live = live
    this.#parts.environment.changed(owned.ref)
    return live
  }

  /** Stops the turn at its deadline or when its generation ends, until `endTurn` is called. */
  #watch(
    owned: OwnedSession,
    turn: LoopTurn,
    { bundle, generation, release }: Pick<TurnStart, 'bundle' | 'generation' | 'release'>,
  ): void {
    const { max_seconds: most = Infinity, elapsed_ms: elapsed = 0 } = turn.parts.record
    const seconds = Math.min(bundle.manifest.limits.timeoutSeconds ?? Infinity, most)
    const unset =
      seconds === Infinity
        ? undefined
        : alarm(Math.max(0, seconds * 1_000 - elapsed), () =>
            owned.stop.abort('deadline' satisfies Stop),
          )
    const handover = (): void => owned.stop.abort('handover' satisfies Stop)
    generation.signal.addEventListener('abort', handover, { once: true })
    owned.beginTurn(() => {
      generation.signal.removeEventListener('abort', handover)
      unset?.()
      owned.services.runEnds(turn.close().finally(release))
    })
  }
}

const rolesOf = (body: InboxBody): readonly string[] | undefined =>
  body.kind === 'message' || body.kind === 'settle' || body.kind === 'change'
    ? (body.roles ?? [])
    : undefined

/** A sub-agent inherits the choice of files in its state, so none is made for it. */
const openingOf = (
  body: InboxBody,
  { sessionState }: History,
  isFirst: boolean,
): Pick<RunOpening, 'principal' | 'sessionState' | 'opensSession' | 'context'> => ({
  principal: body.principal,
  ...(body.kind === 'message' && body.context && { context: body.context }),
  sessionState: body.kind === 'message' ? { ...sessionState, ...body.sessionState } : sessionState,
  opensSession: body.kind === 'message' && body.delegated !== true && isFirst,
})

const withState = (message: Message, state: JsonObject): Message =>
  Object.keys(state).length === 0
    ? message
    : { ...message, sessionState: { ...message.sessionState, ...state } }

/** @param changed the files are not those that the session began with */
const openingEntries = (
  turn: LoopTurn,
  key: string,
  message: Message | undefined,
  changed: boolean,
) => [openingEntry(turn, key, message), ...(changed ? [changedNote(turn)] : [])]

const openingEntry = (turn: LoopTurn, key: string, message: Message | undefined) =>
  turn.newEntry(
    message
      ? {
          kind: 'user_message',
          key,
          principal: message.principal,
          text: message.text,
          bundle: turn.bundle.hash,
          ...(message.assets ? { assets: message.assets } : {}),
          ...(message.context ? { context: message.context } : {}),
          ...(message.trace === undefined ? {} : { trace: message.trace }),
          ...(message.sessionState ? { session_state: message.sessionState } : {}),
        }
      : { kind: 'compacted', cause: 'clear', upto: turn.parts.writer.head, summary: '' },
  )

const recoveredNote = (turn: LoopTurn, storedRun: StoredRun, { recovery }: RunRecord) =>
  turn.newEntry({
    kind: 'note',
    code: 'recovered',
    text: `The run was picked up again in "${storedRun.state.kind}".`,
    data: { count: recovery.count },
  })

const changedNote = (turn: LoopTurn) =>
  turn.newEntry({
    kind: 'note',
    code: 'bundle_changed',
    text: 'The run continues with other files than it began with.',
  })

/** Runs the taps of `run.start`, which may refuse the run. */
async function callRunStart(turn: LoopTurn, key: string, message: Message): Promise<void> {
  if (!turn.hooks.run.start.tapped || turn.stopped !== undefined) return
  const { text, assets, limits = {} } = message
  const verdict = await turn.hooks.run.start.call(
    { run: turn.run, key, text, limits, ...(assets && { assets }) },
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

/** A turn without a model call: a person settles an effect of unknown outcome. */
async function settling(
  owned: OwnedSession,
  { call, settlement }: Extract<InboxBody, { kind: 'settle' }>,
  turn: LoopTurn,
): Promise<LoopTurn> {
  const past = await owned.entries(0)
  if (!past.ok) {
    turn.state = turn.done(past.error)
    return turn
  }
  const entries = await settleEffect(call, settlement, past.value, turn)
  const intent = unknownEffect(past.value, call)?.intent
  if (
    intent?.sealed !== undefined &&
    entries.some((entry) => entry.kind === 'note' && entry.code === OUTCOME_SETTLED)
  )
    owned.writer.erase(intent.seq)
  const staged = stage(entries, turn)
  turn.state = staged.ok ? { kind: 'done', reason: 'model_stop' } : turn.done(staged.error)
  return turn
}

/** ms since the epoch when the first open question expires; `Infinity` without one. */
const soonestOf = (state: AgentState): number =>
  state.kind === 'confirming'
    ? Math.min(
        ...state.asks.map(({ answered, expires_at: at }) =>
          answered ? Infinity : (at ?? Infinity),
        ),
      )
    : Infinity

/** Returns the function that extends the time until which the session may stand still. */
const aliveIn = (
  owned: OwnedSession,
  { bundle }: Pick<TurnStart, 'bundle'>,
  { clock, settings }: Pick<LoopEnvironment, 'clock' | 'settings'>,
): ((ms?: number) => void) => {
  const { stalenessSeconds } = bundle.manifest.limits
  const staleness = stalenessSeconds === undefined ? settings.stalenessMs : stalenessSeconds * 1_000
  return (ms = 0) => {
    owned.aliveUntil = clock.monotonic() + ms + staleness
  }
}
