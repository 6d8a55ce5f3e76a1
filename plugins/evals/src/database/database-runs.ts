import {
  tenantId,
  timeLimit,
  type Database,
  type PrincipalId,
  type Failure,
  type Result,
  type TenantDatabase,
  type TenantId,
  type TransactionRun,
} from '@amodal/sdk'
import {
  DatabaseError,
  runIn,
  runQuery,
  tenantDatabase,
  type RowOf,
  type TypedStatement,
} from '@amodal/sdk/database'
import type {
  EvalRun,
  RunError,
  RunHeader,
  RunStatus,
  RunStore,
  TrialResult,
  TrialTenants,
} from '../results/result.ts'
import { runOf } from '../results/run-of.ts'
import {
  ADD_JUDGEMENT,
  ADD_RESULT,
  ADD_TRIAL,
  BY_ID,
  END,
  FACTS,
  INSERT,
  JUDGEMENT,
  LIST,
  REMOVE_TRIAL,
  REOPEN,
  RESULTS,
  STATUS,
  TRIALS,
} from './run-statements.ts'
import type { RunRow } from '../tables.ts'

/** ms for one statement. */
const QUERY_MS = 10_000

/** Publishes the job of a run in the transaction that writes it. */
export type PublishIn = (run: TransactionRun, header: RunHeader) => Promise<void>

/** The runs of one tenant. A failure of the database is thrown as `DatabaseError`. */
export class DatabaseRuns implements RunStore {
  readonly #own: TenantDatabase
  readonly #database: Database
  readonly #tenant: TenantId
  readonly #principal: PrincipalId
  readonly #publishIn: PublishIn | undefined
  readonly tenants: TrialTenants

  /**
   * @param owner whose tenant it is, and who starts runs
   * @param publishIn where jobs are published with their runs
   */
  constructor(
    database: Database,
    owner: { readonly tenant: TenantId; readonly principal: PrincipalId },
    publishIn?: PublishIn,
  ) {
    this.#database = database
    this.#own = tenantDatabase(database, owner.tenant)
    this.#tenant = owner.tenant
    this.#principal = owner.principal
    this.#publishIn = publishIn
    this.tenants = {
      add: (trial) => this.#write(ADD_TRIAL({ trial })),
      remove: (trial) => this.#write(REMOVE_TRIAL({ trial })),
      all: async () => (await this.#read(TRIALS())).map(({ trial }) => tenantId(trial)),
    }
  }

  begin(header: RunHeader): Promise<void> {
    return this.#publishing(
      INSERT({ ...this.#written(header), principal: this.#principal }),
      header,
    )
  }

  reopen(header: RunHeader): Promise<void> {
    return this.#publishing(REOPEN(this.#written(header)), header)
  }

  async add(run: string, result: TrialResult): Promise<void> {
    const { calls, lines, turns, ...facts } = result
    await this.#write(
      ADD_RESULT({
        run,
        place: result.index,
        facts: JSON.stringify(facts),
        detail: JSON.stringify({ lines, turns, calls }),
      }),
    )
  }

  async end(id: string, status: RunStatus, error?: RunError): Promise<void> {
    await this.#write(END({ id, status, error: error ? JSON.stringify(error) : null }))
  }

  async find(id: string): Promise<EvalRun | undefined> {
    const [row] = await this.#read(BY_ID({ id }))
    if (!row) return undefined
    const results = await this.#read(RESULTS({ run: id }))
    return stored(row, results)
  }

  async statusOf(id: string): Promise<RunStatus | undefined> {
    const [row] = await this.#read(STATUS({ id }))
    return row?.status as RunStatus | undefined // written by this class alone
  }

  async list(limit: number): Promise<readonly EvalRun[]> {
    const rows = await this.#read(LIST({ limit }))
    const facts = await this.#read(FACTS({ runs: rows.map(({ id }) => id) }))
    const byRun = Map.groupBy(facts, ({ run }) => run)
    return rows.map((row) => stored(row, byRun.get(row.id) ?? []))
  }

  async judgement(key: string): Promise<string | undefined> {
    const [row] = await this.#read(JUDGEMENT({ key }))
    return row?.reply
  }

  addJudgement(key: string, reply: string): Promise<void> {
    return this.#write(ADD_JUDGEMENT({ key, principal: this.#principal, reply }))
  }

  #written(header: RunHeader) {
    return { tenant: this.#tenant, id: header.id, header: JSON.stringify(header) }
  }

  async #publishing<R>(query: TypedStatement<R>, header: RunHeader): Promise<void> {
    settled(
      await this.#database.transaction(async (run) => {
        await runIn(run, query)
        await this.#publishIn?.(run, header)
      }, limit()),
    )
  }

  async #read<R>(query: TypedStatement<R>): Promise<readonly RowOf<R>[]> {
    return settled(await runQuery(this.#own, query, limit()))
  }

  async #write<R>(query: TypedStatement<R>): Promise<void> {
    await this.#read(query)
  }
}

const limit = (): AbortSignal => timeLimit(QUERY_MS, 'a statement on evals')

function settled<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new DatabaseError(result.error)
}

/** What this class has written, read back. */
function stored(
  { error, header, status }: Pick<RunRow, 'error' | 'header' | 'status'>,
  results: readonly { readonly facts: string; readonly detail?: string }[],
): EvalRun {
  const cause = error === null ? undefined : (JSON.parse(error) as RunError)
  return runOf(
    JSON.parse(header) as RunHeader,
    results.map(({ detail, facts }) => ({
      ...(JSON.parse(facts) as Omit<TrialResult, 'lines' | 'turns' | 'calls'>),
      ...(detail === undefined
        ? { lines: [], turns: [], calls: [] }
        : (JSON.parse(detail) as Pick<TrialResult, 'lines' | 'turns' | 'calls'>)),
    })),
    { status: status as RunStatus, ...(cause && { error: cause }) },
  )
}
