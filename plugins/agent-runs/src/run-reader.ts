import {
  err,
  ok,
  type Agent,
  type Caller,
  type Failure,
  type Result,
  type SessionId,
} from '@amodal/sdk'
import type { RunEvent } from './run-events.ts'
import { Bell, type Heard, type RunNews } from './run-news.ts'
import { RunProgress } from './run-progress.ts'
import { needsResult, type RunView } from './run-status.ts'
import { refOf, type RunRow, type RunTable } from './run-table.ts'

/** How often a run is looked at: each look is several statements. */
interface Pace {
  /** ms after which it is looked at, whatever was heard of it. */
  readonly pollMs: number
  /** ms between two looks, unless the run ended or asks a person. */
  readonly restMs: number
  /** Whether the row is read again only where it was heard that it changed. */
  readonly keepsRow: boolean
}

/** For somebody who follows each step. */
const FOLLOWING: Pace = { pollMs: 1_000, restMs: 0, keepsRow: false }
/** For a worker, which has nothing to do in between. */
export const WORKING: Pace = { pollMs: 2_000, restMs: 1_000, keepsRow: true }

/** The row of a run as it was read just now, and whether there may be a session. */
interface FirstLook {
  readonly row: RunRow
  readonly hasSession: boolean
}

/** A run, and what its journal has told since the last look. */
export interface Look {
  readonly view: RunView
  readonly events: readonly RunEvent[]
}

/** Reads runs: their rows, and the journals of their sessions. */
export class RunReader {
  readonly #agent: Agent
  readonly #table: RunTable
  readonly #news: RunNews

  constructor(agent: Agent, table: RunTable, news: RunNews) {
    this.#agent = agent
    this.#table = table
    this.#news = news
  }

  /**
   * A run as the caller may see it.
   *
   * @param progress what is known of its journal: only what came behind it is read
   * @returns `undefined` for one that does not exist, and for one that is not theirs
   */
  async read(
    caller: Caller,
    session: SessionId,
    progress = new RunProgress(),
  ): Promise<Result<Look | undefined, Failure>> {
    const found = await this.#table.find({ tenant: caller.tenant, session })
    if (!found.ok) return found
    const row = found.value
    if (!row || !maySee(caller, row)) return ok(undefined)
    return this.look(caller, row, progress)
  }

  /** The same of a row that was read already. */
  async look(
    caller: Caller,
    row: RunRow,
    progress = new RunProgress(),
  ): Promise<Result<Look, Failure>> {
    if (row.attempt === 0) return ok(withoutSession(row, progress))
    const { session } = refOf(row)
    const read = await this.#agent.as(caller).session(session, undefined, progress.head)
    if (!read.ok)
      return read.error.code === 'SESSION_NOT_FOUND'
        ? ok(withoutSession(row, progress))
        : err(read.error)
    const { entries, ...view } = read.value
    return ok({ view: { row, progress, session: view }, events: progress.addAll(entries) })
  }

  /**
   * Looks at a run now and each time that something of it changed, until the signal aborts or
   * whoever reads stops. Ends where the run cannot be read, or is gone.
   *
   * @param first the run, where its row was read just now
   */
  async *watch(
    caller: Caller,
    session: SessionId,
    signal: AbortSignal,
    { pollMs, restMs, keepsRow }: Pace = FOLLOWING,
    first?: FirstLook,
  ): AsyncGenerator<Result<Look, Failure>, void> {
    const progress = new RunProgress()
    let known = first?.row
    let heard: Heard = { ofRow: false }
    const bell = new Bell()
    const leave = this.#news.add({ tenant: caller.tenant, session }, bell)
    try {
      if (first?.hasSession === false) {
        yield ok(withoutSession(first.row, progress))
        heard = await bell.wait(pollMs, restMs, signal)
      }
      while (!signal.aborted) {
        if (!keepsRow || heard.ofRow) known = undefined
        const told = known && heardEnd(known, progress, heard)
        const read = told ?? (known ? await this.look(caller, known, progress) : undefined)
        const look = read ?? (await this.read(caller, session, progress))
        if (!look.ok) {
          yield look
          return
        }
        if (!look.value) return
        yield ok(look.value)
        known = look.value.view.row
        heard = await bell.wait(pollMs, restMs, signal)
      }
    } finally {
      leave()
    }
  }
}

/** A run of whose session nothing was read. */
const withoutSession = (row: RunRow, progress: RunProgress): Look => ({
  view: { row, progress, session: undefined },
  events: [],
})

/** A run whose end was heard of, where how it ended does not depend on more of its journal. */
function heardEnd(
  row: RunRow,
  progress: RunProgress,
  { end }: Heard,
): Result<Look, Failure> | undefined {
  if (!end || needsResult(row)) return undefined
  progress.heard(end.key, end)
  return ok(withoutSession(row, progress))
}

/** Whether a run is among those that the caller sees. */
const maySee = ({ ownSessionsOnly = false, principal }: Caller, row: RunRow): boolean =>
  !ownSessionsOnly || row.principal === principal
