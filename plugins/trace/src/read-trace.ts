import {
  ok,
  readEntries,
  timeLimit,
  type AgentClient,
  type Caller,
  type Failure,
  type OutputRedactor,
  type Result,
  type SequencedEntry,
  type SessionId,
  type SessionStore,
  type SessionView,
} from '@amodal/sdk'
import { entriesOf, withEntries } from './shown.ts'
import type { Shown, Thing } from './thing.ts'
import { traceOf, type Trace } from './walk.ts'

/** ms for reading a journal. */
const READ_MS = 30_000
/** Entries further apart than this are read separately. */
const MOST_APART = 200

/** A session that its caller may see. */
export interface SessionTrace extends Trace {
  readonly session: SessionId
  readonly state: SessionView['state']
  /** Of the newest entry. */
  readonly head: number
  /** As they are stored: for counting, and never to be shown. */
  readonly entries: readonly SequencedEntry[]
}

interface ReaderParts {
  /** Of the caller: it hides what is private, sealed or redacted, and what they may not see. */
  readonly client: AgentClient
  readonly caller: Pick<Caller, 'tenant'>
  readonly store: SessionStore
  /** For the targets of calls, which are texts like any other. */
  readonly redactor: OutputRedactor | undefined
  readonly signal: AbortSignal
}

/**
 * Reads sessions as one caller may see them. Redaction costs more than reading, so
 * the journal is walked as it is stored, and only the entries of the rows that are shown are read
 * by the client of the caller.
 */
export class TraceReader {
  readonly #parts: ReaderParts

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** @returns `SESSION_NOT_FOUND` for a session that the caller may not see */
  async read(session: SessionId): Promise<Result<SessionTrace, Failure>> {
    const { client, caller, store, signal } = this.#parts
    const view = await client.session(session, signal, Number.MAX_SAFE_INTEGER)
    if (!view.ok) return view
    const { row, state } = view.value
    const ref = { tenant: caller.tenant, session }
    const limit = timeLimit(READ_MS, 'reading the journal of a session', signal)
    const stored = await store.entries(ref, { after: 0, upto: row.head }, limit)
    if (!stored.ok) return stored
    const entries = readEntries(stored.value)
    if (!entries.ok) return entries
    return ok({ session, state, head: row.head, entries: entries.value, ...traceOf(entries.value) })
  }

  /** The same things with their entries as the caller may see them. */
  async show(
    session: SessionId,
    things: readonly Thing[],
  ): Promise<Result<readonly Shown[], Failure>> {
    const seqs = new Set(things.flatMap((thing) => entriesOf(thing).map(({ seq }) => seq)))
    const shown = new Map<number, SequencedEntry>()
    for (const { from, to } of rangesOf([...seqs].toSorted((a, b) => a - b))) {
      const view = await this.#parts.client.session(session, this.#parts.signal, from - 1, to)
      if (!view.ok) return view
      for (const entry of view.value.entries) shown.set(entry.seq, this.#withTarget(entry))
    }
    return ok(things.flatMap((thing) => withEntries(thing, shown) ?? []))
  }

  #withTarget(entry: SequencedEntry): SequencedEntry {
    const { redactor } = this.#parts
    if (!redactor || entry.kind !== 'tool_intent' || !entry.target) return entry
    const { path } = entry.target
    return { ...entry, target: { ...entry.target, path: redactor.text(path) } }
  }
}

interface Range {
  readonly from: number
  to: number
}

/** @param seqs in ascending order */
function rangesOf(seqs: readonly number[]): readonly Range[] {
  const ranges: Range[] = []
  for (const seq of seqs) {
    const last = ranges.at(-1)
    if (last && seq - last.to <= MOST_APART) last.to = seq
    else ranges.push({ from: seq, to: seq })
  }
  return ranges
}
