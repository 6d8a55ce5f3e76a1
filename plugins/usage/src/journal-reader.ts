import {
  isObject,
  ok,
  readEntries,
  SUBAGENT_META,
  type Failure,
  type Json,
  type Result,
  type SequencedEntry,
  type SessionRef,
  type SessionRow,
  type SessionStore,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { isSubagentSession } from '@amodal/sdk/loop'
import type { UsageStore } from './report.ts'
import { MAIN_AGENT, profileIn, type StoredRun } from './run-usage.ts'
import { usageOf } from './usage-of.ts'

/** Entries that are read at once. */
const PAGE = 500

type Outcome<T> = Promise<Result<T, Failure>>

interface ReaderParts {
  readonly sessions: SessionStore
  readonly store: UsageStore
  /** Runs that ended before are not counted; `undefined` while the tenant is unknown. */
  readonly countedFrom: (tenant: string) => number | undefined
}

/** Finds runs in the journal that have no row. */
export class JournalReader {
  readonly #parts: ReaderParts

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** `main`, or the name of the sub-agent whose session it is. */
  async agentOf(ref: SessionRef, signal: AbortSignal): Outcome<string> {
    const row = await this.#parts.sessions.row(ref, signal)
    return row.ok ? ok(agentIn(row.value)) : row
  }

  /**
   * Runs of a session that ended behind its newest row.
   *
   * @param range up to which entry; `latest`: the end of the newest row, where it is known
   */
  async missing(
    ref: SessionRef,
    range: { readonly upto: number; readonly latest?: number },
    signal: AbortSignal,
  ): Outcome<readonly StoredRun[]> {
    const { sessions, store } = this.#parts
    const latest =
      range.latest === undefined
        ? await store.latest(ref.tenant, [ref.session], signal)
        : ok(new Map([[String(ref.session), range.latest]]))
    if (!latest.ok) return latest
    const counted = latest.value.get(ref.session) ?? 0
    if (counted >= range.upto) return ok([])
    const row = await sessions.row(ref, signal)
    if (!row.ok) return row
    // Entries of a fork's parent belong to the parent.
    const after = Math.max(counted, row.value?.forkedAt ?? 0)
    return row.value && after < range.upto
      ? this.#runs(ref, row.value, { after, upto: range.upto }, signal)
      : ok([])
  }

  async #runs(
    ref: SessionRef,
    row: SessionRow,
    range: { readonly after: number; readonly upto: number },
    signal: AbortSignal,
  ): Outcome<readonly StoredRun[]> {
    const profile = await this.#profileOf(ref, row, signal)
    if (!profile.ok) return profile
    const place = { session: ref.session, agent: agentIn(row), profile: profile.value }
    const since = this.#parts.countedFrom(ref.tenant) ?? 0
    const runs: StoredRun[] = []
    let open: readonly SequencedEntry[] = []
    for (let { after } = range; after < range.upto;) {
      const read = await this.#read(ref, { after, upto: range.upto, limit: PAGE }, signal)
      if (!read.ok) return read
      open = [...open, ...read.value]
      for (let end = endIn(open); end >= 0; end = endIn(open)) {
        const { run } = open[end] ?? {}
        const usage = usageOf(
          open.slice(0, end + 1).filter((entry) => entry.run === run),
          place,
        )
        if (usage && usage.endedAt >= since) runs.push({ ...usage, tenant: ref.tenant })
        open = open.slice(end + 1)
      }
      after = read.value.at(-1)?.seq ?? range.upto
    }
    return ok(runs)
  }

  /** A run's profile stands in the first message of its session. */
  async #profileOf(
    ref: SessionRef,
    { kind }: SessionRow,
    signal: AbortSignal,
  ): Outcome<string | null> {
    if (kind !== 'agent-run') return ok(null)
    const first = await this.#read(ref, { after: 0, limit: 1 }, signal)
    if (!first.ok) return first
    const [message] = first.value
    return ok(message?.kind === 'user_message' ? profileIn(message.session_state) : null)
  }

  async #read(
    ref: SessionRef,
    range: { readonly after: number; readonly upto?: number; readonly limit: number },
    signal: AbortSignal,
  ): Outcome<readonly SequencedEntry[]> {
    const stored = await this.#parts.sessions.entries(ref, range, signal)
    return stored.ok ? readEntries(stored.value) : stored
  }
}

const endIn = (entries: readonly SequencedEntry[]): number =>
  entries.findIndex(({ kind }) => kind === 'run_ended')

function agentIn(row: SessionRow | undefined): string {
  if (!row || !isSubagentSession(row)) return MAIN_AGENT
  const meta = parseExact(row.meta) as Json // as `isSubagentSession` has read it
  const agent = isObject(meta) ? meta[SUBAGENT_META] : undefined
  return typeof agent === 'string' ? agent : MAIN_AGENT
}
