import {
  err,
  failure,
  type Failure,
  type InboxItem,
  type LeaseRow,
  type LeaseState,
  ok,
  type Result,
  stateOf,
} from '@amodal/sdk'
import { drive } from '@amodal/sdk/loop'
import { handlers } from './handlers.ts'
import { History } from './history.ts'
import { sessionKey } from './session-key.ts'
import type { KeptRun, SessionTurns } from './session-turns.ts'
import type { LoopTurn } from './loop-turn.ts'
import type { OwnedSession } from './owned-session.ts'
import type { Residents } from './residents.ts'
import type { Ask, Surround } from './surround.ts'
import { redactedValuesIn } from './redacted-values.ts'

type Driven = Awaited<ReturnType<typeof drive>>

export interface WorkParts {
  readonly around: Surround
  readonly ask: Ask
  readonly turns: SessionTurns
  readonly residents: Residents
  /** Leaves the session to whoever looks next. */
  handBack(): Promise<void>
  /** A run of a sub-agent has ended, or waits for a person: its parent hears of it. */
  passUp(turn: LoopTurn): void
}

/** All that a claimed session has to do, until it is released, parked or lost: turn after turn. */
export class SessionWork {
  readonly #owned: OwnedSession
  readonly #parts: WorkParts
  #history: History | undefined
  /** A run that was left and goes on. */
  #run: KeptRun | undefined
  #messages: readonly InboxItem[]
  /** Whoever had it last may have died of it. */
  #isRetry: boolean

  constructor(owned: OwnedSession, row: LeaseRow, first: InboxItem | undefined, parts: WorkParts) {
    this.#owned = owned
    this.#parts = parts
    this.#messages = first ? [first] : []
    this.#isRetry = row.crashes > 0
  }

  async start(row: LeaseRow): Promise<Result<void, Failure>> {
    const state = leaseStateOf(row)
    if (!state.ok) return state
    const resident = this.#parts.residents.take(sessionKey(this.#owned.ref), row.head)
    this.#history = resident?.history
    this.#owned.services.resume(resident)
    if (state.value.kind === 'run') {
      this.#run = state.value
      if (row.controls > 0) await this.#owned.inbox()
    }
    return this.#goOn()
  }

  async #goOn(): Promise<Result<void, Failure>> {
    for (;;) {
      if (this.#parts.around.closing()) return ok(await this.#leave())
      const turn = await this.#next()
      if (!turn.ok) return turn
      if (!turn.value) {
        if (await this.#release()) return ok(undefined)
        continue
      }
      const outcome = await this.#drive(turn.value)
      if (outcome.kind === 'left' || (outcome.kind !== 'handover' && outcome.released))
        return ok(undefined)
      this.#run = undefined
      this.#isRetry = false
      this.#owned.renewStop()
      if (outcome.kind !== 'handover') continue
      const kept = await this.#reread()
      if (!kept.ok) return kept
      if (!kept.value) return ok(undefined)
    }
  }

  async #leave(): Promise<void> {
    this.#owned.live?.end('left')
    await this.#parts.handBack()
  }

  /** The run that was left, or one for the message that waits the longest. */
  async #next(): Promise<Result<LoopTurn | undefined, Failure>> {
    const { turns } = this.#parts
    const history = await this.#upToDate()
    if (!history.ok) return history
    if (this.#run) return turns.resume(this.#owned, this.#run, this.#isRetry, history.value)
    if (this.#messages.length === 0) {
      const found = await this.#owned.inbox()
      if (!found.ok) return found
      this.#messages = found.value
    }
    const [next, ...later] = this.#messages
    if (!next) return ok(undefined)
    const turn = await turns.begin(this.#owned, next, this.#isRetry, history.value)
    this.#messages = later
    return ok(turn)
  }

  async #upToDate(): Promise<Result<History, Failure>> {
    const { around } = this.#parts
    const known = this.#history
    if (known && !known.stale && known.depth === around.depth()) return ok(known)
    const history = new History(around.depth())
    const { ref, writer } = this.#owned
    const entries = writer.head === 0 ? ok([]) : await this.#owned.entries(0)
    if (!entries.ok) return entries
    for (const entry of entries.value) history.apply(entry, entry.seq)
    history.redacted.push(...redactedValuesIn(entries.value, ref, around.sealer()))
    this.#history = history
    return ok(history)
  }

  async #drive(turn: LoopTurn): Promise<Driven> {
    const [owned, { around }] = [this.#owned, this.#parts]
    owned.turn = turn
    owned.begunAt = around.clock.monotonic()
    const outcome = await drive(turn, handlers)
    owned.quiet()
    owned.turn = undefined
    if (outcome.kind === 'ended' || outcome.kind === 'parked') {
      // Sessions of sub-agents are in no list.
      if (turn.delegated) this.#parts.passUp(turn)
      else around.persisted(owned.ref, turn.principal)
    }
    return outcome
  }

  /**
   * Nothing to do: gives the session back, with stale controls taken. `false`: something came in
   * meanwhile.
   */
  async #release(): Promise<boolean> {
    const { writer } = this.#owned
    for (const item of this.#owned.takeControls()) writer.acknowledge(item)
    const kept = await writer.commit({ v: 1, kind: 'idle' }, 'end')
    return kept.kind !== 'ok' || kept.released
  }

  /**
   * The next generation goes on from what was committed; what was not is forgotten, and heard of
   * once more. `false`: there is no such session any more.
   */
  async #reread(): Promise<Result<boolean, Failure>> {
    const left = await this.#parts.ask((store, signal) => store.lease(this.#owned.ref, signal))
    if (!left.ok) return left
    if (!left.value) return ok(false)
    const kept = leaseStateOf(left.value)
    if (!kept.ok) return kept
    if (kept.value.kind === 'run') this.#run = kept.value
    this.#owned.forgetControls()
    const found = await this.#owned.inbox()
    this.#messages = found.ok ? found.value : []
    return ok(true)
  }
}

function leaseStateOf(row: LeaseRow): Result<LeaseState, Failure> {
  const state = stateOf(row)
  return state.v === 1
    ? ok(state)
    : err(failure('UNKNOWN_ENTRY_VERSION', 'the session was left by a newer release'))
}
