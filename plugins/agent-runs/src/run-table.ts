import {
  ok,
  sessionId,
  tenantId,
  timeLimit,
  type Database,
  type Failure,
  type Result,
  type SessionId,
  type Statement,
  type TenantId,
  type TransactionRun,
} from '@amodal/sdk'
import { Batches, runIn, runQuery, tenantDatabase } from '@amodal/sdk/database'
import type { EndedRunStatus } from '@amodal/sdk/wire'
import {
  BEGIN,
  BY_KEY,
  BY_SESSION,
  END,
  FORGET,
  INSERT,
  LIST,
  NOTIFIED,
  POSTPONE,
  PUBLISHED,
  TAKE,
  WITHOUT_JOB,
  type NewEnd,
  type NewRun,
  type Place,
} from './run-statements.ts'
import type { RunRow } from './tables.ts'

/** ms for one statement. */
const QUERY_MS = 10_000

export type { RunRow } from './tables.ts'

/** A run in a list, with its moment in microseconds: a `Date` has milliseconds. */
export type ListedRow = RunRow & Pick<Place, 'at'>

type Outcome<T> = Promise<Result<T, Failure>>

/** A run by whose it is and its session. */
export interface RunRef {
  readonly tenant: TenantId
  readonly session: SessionId
}

/** Publishes the jobs of runs in the transaction that writes their rows. */
export type PublishIn = (
  run: TransactionRun,
  rows: readonly Pick<RunRow, 'tenant' | 'session' | 'principal' | 'profile'>[],
) => Promise<void>

/** The run of a key: `fresh` where it is the one that was to be written. */
interface Kept {
  readonly row: RunRow
  readonly fresh: boolean
}
/** A run for who is to drive it; `begun` where its first attempt begins with that. */
export interface Taken {
  readonly row?: RunRow
  readonly begun: boolean
}

/** The run, where this ended it. */
interface Ended {
  readonly row?: RunRow
}

/**
 * Runs beside their sessions: what was asked for under which key, and how it ended. What happened
 * in between stands in the journal of the session. What each run writes on its way is written
 * together with that of others that are on their way.
 */
export class RunTable {
  readonly #database: Database
  readonly #publishIn: PublishIn | undefined
  readonly #inserts: Batches<NewRun, Kept>
  readonly #takes: Batches<RunRef, Taken>
  readonly #ends: Batches<NewEnd, Ended>

  /** @param publishIn where jobs can be published in the transaction of their runs */
  constructor(database: Database, publishIn?: PublishIn) {
    this.#database = database
    this.#publishIn = publishIn
    const shared = { timeoutMs: QUERY_MS, concurrency: 1 }
    const byRun = { ...shared, keyOf, sizeOf: () => 100 }
    this.#inserts = new Batches({
      ...shared,
      what: 'new runs',
      keyOf: ({ tenant, principal, idem }) => JSON.stringify([tenant, principal, idem]),
      sizeOf: (run) => JSON.stringify(run).length,
      write: (runs, signal) => this.#insertAll(runs, signal),
    })
    this.#takes = new Batches<RunRef, Taken>({
      ...byRun,
      what: 'runs that begin',
      write: (runs, signal) => this.#takeAll(runs, signal),
    })
    this.#ends = new Batches<NewEnd, Ended>({
      ...byRun,
      what: 'ends of runs',
      write: (ends, signal) => this.#endAll(ends, signal),
    })
  }

  /** Writes a run, and its job where that is possible, in one transaction. */
  insert(run: NewRun): Outcome<Kept> {
    return this.#inserts.submit(run, this.#limit())
  }

  async #insertAll(runs: readonly NewRun[], signal: AbortSignal): Outcome<readonly Kept[]> {
    const publish = this.#publishIn
    return this.#database.transaction(async (query) => {
      const insert = INSERT({ runs: JSON.stringify(runs), published: publish !== undefined })
      const made = await runIn(query, insert)
      if (made.length > 0) await publish?.(query, made)
      const fresh = new Map(made.map((row) => [keyOf(row), row]))
      const kept: Kept[] = []
      for (const run of runs) {
        const own = fresh.get(keyOf(run))
        const [row = own] = own ? [] : await runIn(query, BY_KEY(run))
        if (!row) throw new Error('the run that has this key is not there')
        kept.push({ row, fresh: own !== undefined })
      }
      return kept
    }, signal)
  }

  /** The run for a worker, which begins its first attempt where nobody did. */
  take(run: RunRef): Outcome<Taken> {
    return this.#takes.submit(run, this.#limit())
  }

  async #takeAll(runs: readonly RunRef[], signal: AbortSignal): Outcome<readonly Taken[]> {
    const rows = await runQuery(this.#database, TAKE({ runs: JSON.stringify(runs) }), signal)
    if (!rows.ok) return rows
    const taken = new Map(rows.value.map(({ begun, ...row }) => [keyOf(row), { row, begun }]))
    return ok(runs.map((run) => taken.get(keyOf(run)) ?? { begun: false }))
  }

  async find({ tenant, session }: RunRef): Outcome<RunRow | undefined> {
    const rows = await runQuery(this.#of(tenant), BY_SESSION({ session }), this.#limit())
    return rows.ok ? ok(rows.value[0]) : rows
  }

  async list(
    tenant: TenantId,
    page: {
      readonly principal: string | undefined
      readonly before: Place | undefined
      readonly limit: number
      /** Only those that ended so. */
      readonly ended?: EndedRunStatus | undefined
      /** Only those that go on. */
      readonly isOpen?: boolean
    },
  ): Outcome<readonly ListedRow[]> {
    const { principal = null, before, limit, ended = null, isOpen = false } = page
    const { at = null, session = '' } = before ?? {}
    const query = LIST({ principal, at, session, ended, isOpen, limit })
    return runQuery(this.#of(tenant), query, this.#limit())
  }

  /** `false`: the attempt was begun before, or the run has ended. */
  begin(ref: RunRef, attempt: number): Outcome<boolean> {
    return this.#changed(ref, BEGIN({ session: ref.session, attempt }))
  }

  postpone(ref: RunRef, attempt: number, until: Date): Outcome<boolean> {
    return this.#changed(ref, POSTPONE({ session: ref.session, attempt, until }))
  }

  /** The run as it ended; `undefined`: it had ended before. */
  async end(ref: RunRef, status: EndedRunStatus, reason?: string): Outcome<RunRow | undefined> {
    const end = { ...ref, status, reason: reason ?? null }
    const ended = await this.#ends.submit(end, this.#limit())
    return ended.ok ? ok(ended.value.row) : ended
  }

  async #endAll(ends: readonly NewEnd[], signal: AbortSignal): Outcome<readonly Ended[]> {
    const rows = await runQuery(this.#database, END({ ends: JSON.stringify(ends) }), signal)
    if (!rows.ok) return rows
    const ended = new Map(rows.value.map((row) => [keyOf(row), row]))
    return ok(
      ends.map((end) => {
        const row = ended.get(keyOf(end))
        return row ? { row } : {}
      }),
    )
  }

  published({ tenant, session }: RunRef): Outcome<void> {
    return this.#done(this.#database.run(PUBLISHED({ tenant, session }), this.#limit()))
  }

  notified({ tenant, session }: RunRef): Outcome<void> {
    return this.#done(this.#of(tenant).run(NOTIFIED({ session }), this.#limit()))
  }

  forget({ tenant, session }: RunRef): Outcome<void> {
    return this.#done(this.#of(tenant).run(FORGET({ session }), this.#limit()))
  }

  /** Runs of all tenants whose job is missing for so many seconds. */
  withoutJob(seconds: number, limit: number) {
    return runQuery(this.#database, WITHOUT_JOB({ seconds, limit }), this.#limit())
  }

  async #changed({ tenant }: RunRef, statement: Statement): Outcome<boolean> {
    const rows = await this.#of(tenant).run(statement, this.#limit())
    return rows.ok ? ok(rows.value.length > 0) : rows
  }

  async #done(query: Outcome<readonly unknown[]>): Outcome<void> {
    const done = await query
    return done.ok ? ok(undefined) : done
  }

  #of(tenant: TenantId) {
    return tenantDatabase(this.#database, tenant)
  }

  #limit(): AbortSignal {
    return timeLimit(QUERY_MS, 'a statement on runs')
  }
}

export const refOf = ({ tenant, session }: Pick<RunRow, 'tenant' | 'session'>): RunRef => ({
  tenant: tenantId(tenant),
  session: sessionId(session),
})

const keyOf = ({ tenant, session }: Pick<RunRow, 'tenant' | 'session'>): string =>
  `${tenant} ${session}`
