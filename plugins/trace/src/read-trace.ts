import {
  ok,
  type AgentClient,
  type Failure,
  type OutputRedactor,
  type Result,
  type SequencedEntry,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import { traceOf, type Trace } from './walk.ts'

/** A session as its caller may see it. */
export interface SessionTrace extends Trace {
  readonly session: SessionId
  readonly state: SessionView['state']
  /** Of the newest entry. */
  readonly head: number
  readonly entries: readonly SequencedEntry[]
}

/** Reads sessions as one caller may see them. */
export interface TraceReader {
  read(session: SessionId): Promise<Result<SessionTrace, Failure>>
}

/**
 * Reads by the client of the caller, which hides what is private, sealed or redacted, and knows no
 * session that the caller may not see.
 *
 * @param redactor for the targets of calls, which are texts like any other
 */
export function traceReader(
  client: AgentClient,
  redactor: OutputRedactor | undefined,
  signal: AbortSignal,
): TraceReader {
  return {
    async read(session) {
      const view = await client.session(session, signal)
      if (!view.ok) return view
      const { row, state } = view.value
      const entries = redactor
        ? view.value.entries.map((entry) => withTarget(entry, redactor))
        : view.value.entries
      return ok({ session, state, head: row.head, entries, ...traceOf(entries) })
    },
  }
}

function withTarget(entry: SequencedEntry, redactor: OutputRedactor): SequencedEntry {
  if (entry.kind !== 'tool_intent' || !entry.target) return entry
  const { path } = entry.target
  return { ...entry, target: { ...entry.target, path: redactor.text(path) } }
}
