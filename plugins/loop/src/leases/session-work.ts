import {
  err,
  failure,
  type Failure,
  type InboxItem,
  type SessionRecord,
  type StoredState,
  ok,
  type Result,
  stateOf,
} from '@amodal/sdk'
import { drive } from '@amodal/sdk/loop'
import { handlers } from '../run/handlers.ts'
import { History } from '../run/history.ts'
import { sessionKey } from '../sessions/session-key.ts'
import type { StoredRun, SessionTurns } from '../run/session-turns.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import type { OwnedSession } from './owned-session.ts'
import type { Residents } from './residents.ts'
import type { StoreCall, LoopEnvironment } from './environment.ts'
import { redactedValuesIn } from '../run/redacted-values.ts'

type DriveOutcome = Awaited<ReturnType<typeof drive>>

export interface WorkParts {
  readonly environment: LoopEnvironment
  readonly callStore: StoreCall
  readonly turns: SessionTurns
  readonly residents: Residents
  /** Returns the session: its lease ends now, so that the next owner may take it over at once. */
  expireLease(): Promise<void>
  /** Called when a run of a sub-agent has ended or parked, to forward its answers to the parent. */
  forwardAnswers(turn: LoopTurn): void
}

/** Serves a claimed session turn by turn, until it is released, parked or lost. */
export class SessionWork {
  readonly #owned: OwnedSession
  readonly #parts: WorkParts
  #history: History | undefined
  /** The stored run to resume. */
  #run: StoredRun | undefined
  #messages: readonly InboxItem[]
  /** Whether a previous worker crashed on this session. */
  #afterCrash: boolean

  constructor(
    owned: OwnedSession,
    sessionRecord: SessionRecord,
    first: InboxItem | undefined,
    parts: WorkParts,
  ) {
    this.#owned = owned
    this.#parts = parts
    this.#messages = first ? [first] : []
    this.#afterCrash = sessionRecord.crashes > 0
  }

  async start(sessionRecord: SessionRecord): Promise<Result<void, Failure>> {
    const state = storedStateOf(sessionRecord)
    if (!state.ok) return state
    const resident = this.#parts.residents.take(sessionKey(this.#owned.ref), sessionRecord.head)
    this.#history = resident?.history
    this.#owned.services.resume(resident)
    if (state.value.kind === 'run') {
      this.#run = state.value
      if (sessionRecord.controls > 0) await this.#owned.readInbox()
    }
    return this.#serveTurns()
  }

  async #serveTurns(): Promise<Result<void, Failure>> {
    for (;;) {
      if (this.#parts.environment.closing()) return ok(await this.#leaveToNextOwner())
      const turn = await this.#next()
      if (!turn.ok) return turn
      if (!turn.value) {
        if (await this.#release()) return ok(undefined)
        continue
      }
      const outcome = await this.#drive(turn.value)
      if (outcome.kind === 'abandoned' || (outcome.kind !== 'handover' && outcome.released))
        return ok(undefined)
      this.#run = undefined
      this.#afterCrash = false
      this.#owned.renewStop()
      if (outcome.kind !== 'handover') continue
      const reread = await this.#reread()
      if (!reread.ok) return reread
      if (!reread.value) return ok(undefined)
    }
  }

  async #leaveToNextOwner(): Promise<void> {
    this.#owned.live?.end('abandoned')
    await this.#parts.expireLease()
  }

  /** Resumes the stored run, or begins one for the oldest message. */
  async #next(): Promise<Result<LoopTurn | undefined, Failure>> {
    const { turns } = this.#parts
    const history = await this.#upToDate()
    if (!history.ok) return history
    if (this.#run) return turns.resume(this.#owned, this.#run, this.#afterCrash, history.value)
    if (this.#messages.length === 0) {
      const found = await this.#owned.readInbox()
      if (!found.ok) return found
      this.#messages = found.value
    }
    const [next, ...later] = this.#messages
    if (!next) return ok(undefined)
    const turn = await turns.begin(this.#owned, next, this.#afterCrash, history.value)
    this.#messages = later
    return ok(turn)
  }

  async #upToDate(): Promise<Result<History, Failure>> {
    const { environment } = this.#parts
    const known = this.#history
    if (known && !known.stale && known.depth === environment.depth()) return ok(known)
    const history = new History(environment.depth())
    const { ref, writer } = this.#owned
    const entries = writer.head === 0 ? ok([]) : await this.#owned.entries(0)
    if (!entries.ok) return entries
    for (const entry of entries.value) history.apply(entry, entry.seq)
    history.redacted.push(...redactedValuesIn(entries.value, ref, environment.sealer()))
    this.#history = history
    return ok(history)
  }

  async #drive(turn: LoopTurn): Promise<DriveOutcome> {
    const [owned, { environment }] = [this.#owned, this.#parts]
    owned.turn = turn
    owned.begunAt = environment.clock.monotonic()
    const outcome = await drive(turn, handlers)
    owned.endTurn()
    owned.turn = undefined
    if (outcome.kind === 'ended' || outcome.kind === 'parked') {
      // Sessions of sub-agents are not listed, so only their parent needs to know.
      if (turn.delegated) this.#parts.forwardAnswers(turn)
      else environment.runEndedOrParked(owned.ref, turn.principal)
    }
    return outcome
  }

  /**
   * Releases an idle session, with its stale controls acknowledged. `false`: an item arrived
   * meanwhile.
   */
  async #release(): Promise<boolean> {
    const { writer } = this.#owned
    for (const item of this.#owned.takeControls()) writer.acknowledge(item)
    const committed = await writer.commit({ v: 1, kind: 'idle' }, 'end')
    return committed.kind !== 'ok' || committed.released
  }

  /**
   * Reloads the committed state for the next generation, and rereads uncommitted controls. `false`:
   * the session no longer exists.
   */
  async #reread(): Promise<Result<boolean, Failure>> {
    const sessionRecord = await this.#parts.callStore((store, signal) =>
      store.sessionRecord(this.#owned.ref, signal),
    )
    if (!sessionRecord.ok) return sessionRecord
    if (!sessionRecord.value) return ok(false)
    const storedState = storedStateOf(sessionRecord.value)
    if (!storedState.ok) return storedState
    if (storedState.value.kind === 'run') this.#run = storedState.value
    this.#owned.forgetControls()
    const found = await this.#owned.readInbox()
    this.#messages = found.ok ? found.value : []
    return ok(true)
  }
}

function storedStateOf(sessionRecord: SessionRecord): Result<StoredState, Failure> {
  const state = stateOf(sessionRecord)
  return state.v === 1
    ? ok(state)
    : err(failure('UNKNOWN_ENTRY_VERSION', 'the session was left by a newer release'))
}
