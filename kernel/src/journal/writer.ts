import { randomUUID } from 'node:crypto'
import { failure, type Failure } from '../errors.ts'
import { openAsks, type LaneState } from '../loop/state.ts'
import type {
  Commit,
  CommitEnd,
  CommitVerdict,
  InboxItem,
  LaneRef,
  SessionStore,
} from '../ports/session-store.ts'
import { sleep, type Clock } from '../time.ts'
import { spentIn, type JournalEntry, type Placed } from './entry.ts'
import { askStore } from './ask-store.ts'
import { clean } from './hash.ts'
import type { LaneLease } from './lease.ts'

/**
 * What came of a commit. Only after `ok` may anybody be told; only with `mine` may anything further
 * be done.
 */
export type Committed =
  | {
      readonly kind: 'ok'
      readonly mine: boolean
      readonly released: boolean
      readonly messages: number
      readonly controls: number
      readonly entries: readonly Placed[]
    }
  /** Another owner has the lane. */
  | { readonly kind: 'lost' }
  /** The connection broke until the lease ended: done or not done, nobody here knows. */
  | { readonly kind: 'doubt'; readonly failure: Failure }
  /** The data itself was refused; nothing was written. */
  | { readonly kind: 'refused'; readonly failure: Failure }

const NOTHING: Commit['add'] = { messages: 0, input: 0, output: 0 }

export interface WriterOptions {
  readonly leaseMs: number
  readonly storeMs: number
  /** Called when a commit has brought the run further. */
  readonly progressed?: () => void
}

/**
 * Whether an entry shows that the run survived what it was at. An intent does not: a process that
 * dies of an effect dies after it. Nor does what recovery itself writes.
 */
function isProgress(entry: JournalEntry): boolean {
  switch (entry.kind) {
    case 'tool_outcome':
      return entry.status !== 'unknown'
    case 'input_asked':
    case 'input_answered':
    case 'compacted':
    case 'child_opened':
    case 'child_closed':
    case 'run_ended':
      return true
    case 'user_message':
    case 'model_reply':
    case 'tool_intent':
    case 'note':
      return false
  }
}

/** Code of the note that settles an effect of unknown outcome. */
export const OUTCOME_SETTLED = 'outcome_settled'

function unknownEffects(entry: JournalEntry): number {
  if (entry.kind === 'tool_outcome' && entry.status === 'unknown') return 1
  return entry.kind === 'note' && entry.code === OUTCOME_SETTLED ? -1 : 0
}

/** Stages entries of one owned lane and writes them at its commit points, fenced and repeatable. */
export class JournalWriter {
  /** The last committed seq. */
  head: number
  readonly fence: number
  readonly #store: SessionStore
  readonly #ref: LaneRef
  readonly #lease: LaneLease
  readonly #options: WriterOptions
  readonly #clock: Clock
  #staged: { readonly entry: Placed; readonly body: string; readonly sealed?: string }[] = []
  #took = { messages: [] as string[], controls: [] as string[] }
  #erase: number[] = []
  #add = NOTHING
  #model: Pick<Commit, 'model' | 'provider'> = {}
  #ended: Pick<Commit, 'ended'> = {}

  constructor(
    store: SessionStore,
    lane: LaneRef & { readonly head: number; readonly fence: number },
    lease: LaneLease,
    options: WriterOptions,
    clock: Clock,
  ) {
    this.#store = store
    this.#ref = { tenant: lane.tenant, session: lane.session }
    this.head = lane.head
    this.fence = lane.fence
    this.#lease = lease
    this.#options = options
    this.#clock = clock
  }

  get staged(): readonly Placed[] {
    return this.#staged.map((one) => one.entry)
  }

  /**
   * Puts an entry behind those that wait; its seq is settled, since nobody else writes this lane.
   */
  stage(entry: JournalEntry, sealed?: string): Placed {
    const placed: Placed = {
      ...clean(entry),
      seq: this.head + this.#staged.length + 1,
      ...(sealed === undefined ? {} : { sealed }),
    }
    const { seq: _seq, sealed: _sealed, ...body } = placed
    this.#staged.push({
      entry: placed,
      body: JSON.stringify(body),
      ...(sealed === undefined ? {} : { sealed }),
    })
    const { messages, input, output, cost, unknown = 0 } = this.#add
    const doubts = unknown + unknownEffects(entry)
    const said =
      entry.kind === 'user_message' || (entry.kind === 'model_reply' && entry.text !== '')
    const spent = spentIn(entry)
    this.#add = {
      messages: said ? messages + 1 : messages,
      input: input + (spent?.usage.input ?? 0),
      output: output + (spent?.usage.output ?? 0),
      ...(spent?.cost === undefined && cost === undefined
        ? {}
        : { cost: (cost ?? 0) + (spent?.cost ?? 0) }),
      ...(doubts === 0 ? {} : { unknown: doubts }),
    }
    if (entry.kind === 'model_reply') this.#model = entry.model
    if (entry.kind === 'run_ended')
      this.#ended = {
        ended: {
          reason: entry.reason,
          at: entry.at,
          ...(entry.error ? { code: entry.error.code, message: entry.error.message } : {}),
        },
      }
    return placed
  }

  /** Inbox items that the staged entries answer. */
  took(item: InboxItem): void {
    this.#took[item.control ? 'controls' : 'messages'].push(item.key)
  }

  /** The sealed part of that entry is not needed any more. */
  erase(seq: number): void {
    this.#erase.push(seq)
  }

  /**
   * Forgets what was staged and not committed. What was taken from the inbox is still answered by
   * the next commit.
   */
  discard(): void {
    this.#staged = []
    this.#erase = []
    this.#add = NOTHING
    this.#ended = {}
  }

  async commit(state: LaneState, end: CommitEnd): Promise<Committed> {
    const commit: Commit = {
      ...this.#ref,
      fence: this.fence,
      base: this.head,
      key: randomUUID(),
      state: JSON.stringify(state),
      entries: this.#staged.map(({ body, sealed }) => ({
        body,
        ...(sealed === undefined ? {} : { sealed }),
      })),
      took: this.#took,
      erase: this.#erase,
      end,
      ...dueOf(state),
      leaseMs: this.#options.leaseMs,
      add: this.#add,
      progress: end !== 'hold' || this.#staged.some(({ entry }) => isProgress(entry)),
      ...this.#model,
      ...this.#ended,
    }
    for (let wait = 25; ; wait = Math.min(wait * 2, 1_000)) {
      const asked = this.#clock.monotonic()
      const said = await askStore(this.#options.storeMs, (signal) =>
        this.#store.commit(commit, signal),
      )
      if (said.ok) {
        if (said.value.verdict === 'ok' && commit.progress) this.#options.progressed?.()
        return this.#settle(said.value, asked)
      }
      if (said.error.details?.['connection'] !== true)
        return { kind: 'refused', failure: said.error }
      // In doubt, not failed: the same key again finds out, as long as nobody else may have the
      // lane.
      if (this.#lease.taken) return { kind: 'lost' }
      if (this.#lease.left() <= 0)
        return {
          kind: 'doubt',
          failure: failure(
            'COMMIT_IN_DOUBT',
            `whether the last step was kept is unknown: ${said.error.message}`,
          ),
        }
      await sleep(wait, this.#lease.signal)
    }
  }

  #settle(said: CommitVerdict, asked: number): Committed {
    if (said.verdict !== 'ok') return { kind: 'lost' }
    const entries = this.staged
    this.head += entries.length
    this.discard()
    this.#took = { messages: [], controls: [] }
    if (said.mine) this.#lease.prolong(asked, this.#options.leaseMs)
    return {
      kind: 'ok',
      mine: said.mine,
      released: said.released,
      messages: said.messages,
      controls: said.controls,
      entries,
    }
  }
}

/** When the first open question expires. */
function dueOf(state: LaneState): Pick<Commit, 'due'> {
  const due = Math.min(...openAsks(state).map(({ expires_at: at = Infinity }) => at))
  return due < Infinity ? { due } : {}
}
