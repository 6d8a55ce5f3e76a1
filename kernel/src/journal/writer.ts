import { failure, type Failure } from '../errors.ts'
import { newKey } from '../ids.ts'
import type { Json } from '../json.ts'
import { openAsks, type DriverRecord, type StoredStateOf } from '../loop/state.ts'
import type {
  Commit,
  CommitEnd,
  CommitVerdict,
  InboxItem,
  SessionRef,
  JournalStore,
  SharedChange,
  SharedValue,
} from '../ports/journal-store.ts'
import { err, ok, type Result } from '../result.ts'
import { sleep, type Clock } from '../time.ts'
import { NO_USAGE } from '../usage.ts'
import { spentIn, type JournalEntry, type SequencedEntry } from './entry.ts'
import { callStore } from './call-store.ts'
import { clean } from './clean.ts'
import type { SessionLease } from './lease.ts'

/**
 * The outcome of a commit. Events may be emitted only after `ok`; further effects are allowed only
 * with `stillOwned`, which is explained at `CommitVerdict`.
 */
export type Committed =
  | {
      readonly kind: 'ok'
      readonly stillOwned: boolean
      readonly released: boolean
      readonly messages: number
      readonly controls: number
      readonly entries: readonly SequencedEntry[]
    }
  /** Another owner has the session. */
  | { readonly kind: 'lost' }
  /** The connection failed until the lease ended: whether the commit was written is unknown. */
  | { readonly kind: 'doubt'; readonly failure: Failure }
  /** The data itself was refused; nothing was written. */
  | { readonly kind: 'refused'; readonly failure: Failure }

const NOTHING: Commit['add'] = { messages: 0, input: 0, output: 0 }

export interface WriterOptions {
  readonly leaseMs: number
  readonly storeMs: number
  /** Called after a commit that contains progress of the run. */
  readonly onProgress?: () => void
  /**
   * Rebuilds an entry whose shared values have changed meanwhile. A failure refuses the commit.
   *
   * @param now the shared values of the tenant
   */
  readonly rebase?: (
    entry: JournalEntry,
    now: readonly SharedValue[],
  ) => Result<JournalEntry, Failure>
}

/**
 * Keys of session state that begin with it hold `[version, value]` of a value that all sessions of
 * the tenant share. A note with such a key changes the value in its commit; other entries have
 * copies.
 */
export const SHARED_STATE = 'lasting:shared/'

function sharedIn(entry: JournalEntry): readonly SharedChange[] {
  if (entry.kind !== 'note') return []
  return Object.entries(entry.session_state ?? {}).flatMap(([key, stored]): SharedChange[] => {
    if (!key.startsWith(SHARED_STATE) || !Array.isArray(stored)) return []
    const [version, value = null] = stored as readonly Json[]
    return [{ name: key.slice(SHARED_STATE.length), base: Number(version) - 1, value }]
  })
}

/**
 * Whether an entry shows that the run survived its last step. An intent does not, since a process
 * that crashes in an effect crashes after it; nor do the entries of recovery.
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

/** Whether a session counts the entry as a message: a text of the person or of the model. */
const countsAsMessage = (entry: JournalEntry): boolean =>
  entry.kind === 'user_message' || (entry.kind === 'model_reply' && entry.text !== '')

/** The sums of a commit with one more entry. */
function sumsWith(
  entry: JournalEntry,
  { messages, input, output, cost, unknown = 0 }: Commit['add'],
): Commit['add'] {
  const spent = spentIn(entry)
  const usage = spent?.usage ?? NO_USAGE
  const costs = cost === undefined ? spent?.cost : cost + (spent?.cost ?? 0)
  const doubts = unknown + unknownEffects(entry)
  return {
    messages: countsAsMessage(entry) ? messages + 1 : messages,
    input: input + usage.input,
    output: output + usage.output,
    ...(costs === undefined ? {} : { cost: costs }),
    ...(doubts === 0 ? {} : { unknown: doubts }),
  }
}

/**
 * Stages entries of one owned session and writes them at its commit points, guarded by the fencing
 * token and repeatable.
 */
export class JournalWriter {
  /** The last committed seq. */
  head: number
  readonly fencingToken: number
  readonly #store: JournalStore
  readonly #ref: SessionRef
  readonly #lease: SessionLease
  readonly #options: WriterOptions
  readonly #clock: Clock
  #staged: { readonly entry: SequencedEntry; readonly body: string; readonly sealed?: string }[] =
    []
  #acknowledged = { messages: [] as string[], controls: [] as string[] }
  #erase: number[] = []
  #add = NOTHING
  #model: Pick<Commit, 'model' | 'provider'> = {}
  #ended: Pick<Commit, 'ended'> = {}

  constructor(
    store: JournalStore,
    row: SessionRef & { readonly head: number; readonly fencingToken: number },
    lease: SessionLease,
    options: WriterOptions,
    clock: Clock,
  ) {
    this.#store = store
    this.#ref = { tenant: row.tenant, session: row.session }
    this.head = row.head
    this.fencingToken = row.fencingToken
    this.#lease = lease
    this.#options = options
    this.#clock = clock
  }

  get staged(): readonly SequencedEntry[] {
    return this.#staged.map((one) => one.entry)
  }

  /**
   * Appends an entry to the staged ones. Its seq is final, since this session has one writer.
   */
  stage(entry: JournalEntry, sealed?: string): SequencedEntry {
    const secret = sealed === undefined ? {} : { sealed }
    const seq = this.head + this.#staged.length + 1
    const sequenced: SequencedEntry = { ...clean(entry), seq, ...secret }
    const { seq: _seq, sealed: _sealed, ...body } = sequenced
    this.#staged.push({ entry: sequenced, body: JSON.stringify(body), ...secret })
    this.#add = sumsWith(entry, this.#add)
    if (entry.kind === 'model_reply') this.#model = entry.model
    if (entry.kind === 'run_ended')
      this.#ended = {
        ended: {
          reason: entry.reason,
          at: entry.at,
          ...(entry.error ? { code: entry.error.code, message: entry.error.message } : {}),
        },
      }
    return sequenced
  }

  /** Acknowledges an inbox item with the next commit. */
  acknowledge(item: InboxItem): void {
    this.#acknowledged[item.control ? 'controls' : 'messages'].push(item.key)
  }

  /** Erases the sealed part of an entry with the next commit. */
  erase(seq: number): void {
    this.#erase.push(seq)
  }

  /**
   * Discards staged entries. The next commit still acknowledges their inbox items, so that a
   * message whose run was refused does not begin another one. After a handover the inbox is reread
   * and the same keys are acknowledged once more, which counts once.
   */
  discard(): void {
    this.#staged = []
    this.#erase = []
    this.#add = NOTHING
    this.#ended = {}
  }

  #commitOf(state: StoredStateOf<DriverRecord>, end: CommitEnd): Commit {
    const shared = this.#staged.flatMap(({ entry }) => sharedIn(entry))
    return {
      ...this.#ref,
      fencingToken: this.fencingToken,
      base: this.head,
      key: newKey(),
      state: JSON.stringify(state),
      entries: this.#staged.map(({ entry: _entry, ...staged }) => staged),
      acknowledged: this.#acknowledged,
      erase: this.#erase,
      end,
      ...dueOf(state),
      leaseMs: this.#options.leaseMs,
      add: this.#add,
      progress: end !== 'hold' || this.#staged.some(({ entry }) => isProgress(entry)),
      ...this.#model,
      ...this.#ended,
      ...(shared.length > 0 && { shared }),
    }
  }

  async commit(state: StoredStateOf<DriverRecord>, end: CommitEnd): Promise<Committed> {
    let commit = this.#commitOf(state, end)
    for (let wait = 25; ; wait = Math.min(wait * 2, 1_000)) {
      const requestedAt = this.#clock.monotonic()
      const result = await callStore(this.#options.storeMs, (signal) =>
        this.#store.commit(commit, signal),
      )
      if (result.ok && result.value.verdict === 'conflict') {
        const rebased = this.#rebase(result.value.shared)
        if (!rebased.ok) return { kind: 'refused', failure: rebased.error }
        commit = this.#commitOf(state, end)
        continue
      }
      if (result.ok) return this.#applyVerdict(result.value, commit, requestedAt)
      if (result.error.details?.['connection'] !== true)
        return { kind: 'refused', failure: result.error }
      // In doubt, not failed: a retry with the same key learns the outcome, as long as this owner
      // has the lease.
      if (this.#lease.takenOver) return { kind: 'lost' }
      if (this.#lease.remainingMs() <= 0)
        return {
          kind: 'doubt',
          failure: failure(
            'COMMIT_IN_DOUBT',
            `whether the last step was committed is unknown: ${result.error.message}`,
          ),
        }
      await sleep(wait, this.#lease.signal)
    }
  }

  /** Rebuilds staged entries that change shared values on the current values. */
  #rebase(now: readonly SharedValue[]): Result<void, Failure> {
    const staged = [...this.#staged]
    for (const [index, one] of staged.entries()) {
      const { seq, sealed: _sealed, ...entry } = one.entry
      if (sharedIn(entry).length === 0) continue
      const rebased = this.#options.rebase?.(entry, now)
      if (rebased?.ok !== true)
        return (
          rebased ?? err(failure('STORE_FAILED', 'a shared value has changed since it was read'))
        )
      const next = clean(rebased.value)
      staged[index] = { ...one, entry: { ...next, seq }, body: JSON.stringify(next) }
    }
    this.#staged = staged
    return ok(undefined)
  }

  #applyVerdict(
    verdict: CommitVerdict,
    { progress }: Pick<Commit, 'progress'>,
    requestedAt: number,
  ): Committed {
    if (verdict.verdict !== 'ok') return { kind: 'lost' }
    if (progress) this.#options.onProgress?.()
    const entries = this.staged
    this.head += entries.length
    this.discard()
    this.#acknowledged = { messages: [], controls: [] }
    if (verdict.stillOwned) this.#lease.prolong(requestedAt, this.#options.leaseMs)
    return {
      kind: 'ok',
      stillOwned: verdict.stillOwned,
      released: verdict.released,
      messages: verdict.messages,
      controls: verdict.controls,
      entries,
    }
  }
}

/** When the first open question expires. */
function dueOf(state: StoredStateOf<DriverRecord>): Pick<Commit, 'due'> {
  const due = Math.min(...openAsks(state).map(({ expires_at: at = Infinity }) => at))
  return due < Infinity ? { due } : {}
}
