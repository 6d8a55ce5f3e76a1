import type { ServerReach } from '../reachability.ts'
import { historyItems, type Item } from '../timeline/index.ts'
import type { AnswerInput, ClientEvent, SessionDetails } from '../types.ts'
import { Decisions } from './decisions.ts'
import type { ConversationSnapshot } from './snapshot.ts'
import type { Turn } from './turn.ts'

/** ms for which events are batched before they are shown. */
const BATCH_MS = 30

/** What is known of a conversation, and who is told when it changes. */
export class ConversationModel {
  readonly decisions = new Decisions()
  readonly #reach: ServerReach
  readonly #listeners = new Set<() => void>()
  readonly #observers = new Set<(event: ClientEvent) => void>()
  session: string | undefined
  turns: readonly Turn[] = []
  /** The last entry that is known. */
  seq = 0
  isLoading: boolean
  isClosed = false
  error: Error | undefined
  setAside: SessionDetails['set_aside']
  grants: NonNullable<SessionDetails['grants']> = []
  /** An answer that needs a credential. */
  locked: AnswerInput | undefined
  #history: readonly Item[] = []
  #snapshot: ConversationSnapshot
  #batch: ReturnType<typeof setTimeout> | undefined

  constructor(
    reach: ServerReach,
    session: string | undefined,
    initial: SessionDetails | undefined,
  ) {
    this.#reach = reach
    this.session = initial?.id ?? session
    this.isLoading = this.session !== undefined && !initial
    if (initial) this.take(initial)
    this.#snapshot = this.#build()
  }

  get snapshot(): ConversationSnapshot {
    return this.#snapshot
  }

  /** Whether a turn is in progress. */
  get isBusy(): boolean {
    return this.turns.some(({ isOver }) => !isOver)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  observe(listener: (event: ClientEvent) => void): () => void {
    this.#observers.add(listener)
    return () => this.#observers.delete(listener)
  }

  /** Calls the observers with an event of a turn. */
  announce(event: ClientEvent): void {
    for (const listener of [...this.#observers]) listener(event)
  }

  /**
   * @param isShown whether the message of an entry is shown from the history; default: all but
   *   those of a run in progress, which its stream has
   */
  take(details: SessionDetails, isShown = isBefore(details)): void {
    this.seq = Math.max(this.seq, details.seq)
    this.takeDecisions(details)
    this.#history = historyItems(
      details.messages.filter(({ seq }) => isShown(seq)),
      details,
    )
  }

  takeDecisions(details: SessionDetails): void {
    this.decisions.read(details.messages)
    this.setAside = details.set_aside
    this.grants = details.grants ?? []
  }

  add(turn: Turn): Turn {
    this.turns = [...this.turns, turn]
    this.changed()
    return turn
  }

  /** Whether an event is the outcome of an approval whose author is not known. */
  isDecision(event: ClientEvent): boolean {
    if (event.type === 'approved') return !this.decisions.isStored(event.preview_id)
    return (
      event.type === 'tool_call_result' &&
      event.status === 'error' &&
      this.turns.some((turn) =>
        turn.approvalsFor(event.tool_id).some((ask) => !this.decisions.isStored(ask)),
      )
    )
  }

  /** Tells the listeners soon, once for everything that comes meanwhile. */
  changeSoon(): void {
    this.#batch ??= setTimeout(() => this.changed(), BATCH_MS)
  }

  changed(): void {
    clearTimeout(this.#batch)
    this.#batch = undefined
    if (this.isClosed) return
    this.#snapshot = this.#build()
    for (const listener of [...this.#listeners]) listener()
  }

  /** The same where turns look different although no event has come. */
  redraw(): void {
    for (const turn of this.turns) turn.invalidate()
    this.changed()
  }

  #build(): ConversationSnapshot {
    const { isLost } = this.#reach
    const turnItems = this.turns.flatMap((turn) => turn.items(this.decisions.applied, isLost))
    const items = turnItems.length === 0 ? this.#history : [...this.#history, ...turnItems]
    return {
      session: this.session,
      items,
      isDelivered: this.turns.every(({ isAccepted }) => isAccepted),
      problem: this.error?.message,
      error: this.error,
      setAside: this.setAside,
      grants: this.grants,
      locked: this.locked?.id,
      state: this.#state(items),
    }
  }

  #state(items: readonly Item[]): ConversationSnapshot['state'] {
    if (!this.isBusy) return this.isLoading ? 'loading' : 'idle'
    if (items.some((item) => item.kind === 'ask' && item.open)) return 'waiting'
    return this.#reach.isLost ? 'away' : 'running'
  }
}

/** A run in progress is shown from its stream, from its message on. */
function isBefore({ state, messages }: SessionDetails): (seq: number) => boolean {
  if (state === 'idle') return () => true
  const message = messages.findLast(({ role }) => role === 'user')?.seq ?? 0
  return (seq) => seq <= message
}
