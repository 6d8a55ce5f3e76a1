import { Pool, type Client, type ClientConfig, type PoolClient } from 'pg'
import {
  connectionBroke,
  notStarted,
  PreparedStatements,
  retryConflicts,
  runTransaction,
  Schema,
  sqlstateOf,
  staleStatement,
  statementFailure,
  stepsOf,
  until,
  type Migrated,
  type MigrationLists,
  type Transaction,
  rewriteText,
  sql,
  statementOf,
} from '@amodal/sdk/database'
import {
  err,
  failure,
  messageOf,
  ok,
  type Database,
  type Failure,
  type Logger,
  type Result,
  type Row,
  type Statement,
  onAbort,
  timeLimit,
} from '@amodal/sdk'
import { addressOfPool, type Address } from './address.ts'
import { Checkout } from './checkout.ts'
import { Listener } from './listener.ts'

export interface PostgresOptions {
  /** Asked when the first connection is made: before, the secrets may not be there. */
  readonly address: () => Result<Address, Failure>
  /**
   * A pool of the embedding program: connections are borrowed from it, and it is neither changed
   * nor closed.
   */
  readonly pool?: Pool | undefined
  /** Connections at most. */
  readonly max: number
  /** ms a statement may take. */
  readonly statementTimeoutMs: number
  /** ms to wait for a connection, a new one or one of the pool. */
  readonly connectTimeoutMs: number
  /** Off behind a pooler that cannot LISTEN: everything then goes by polling. */
  readonly listen: boolean
  /** Off behind a pooler that cannot keep prepared statements. */
  readonly prepare: boolean
  /** The migrations of the current wiring: the same map until it changes. */
  readonly migrations: () => MigrationLists
  readonly log: Logger
}

type Rows = Result<readonly Row[], Failure>

/** ms that a transaction may stand idle before the server ends it. */
const IDLE_IN_TRANSACTION_MS = 60_000
const NO_LIMIT: Statement = { sql: 'set local statement_timeout = 0', parameters: [] }
const PROBE_MS = 1_000

/** `leave` lets go of the pool. */
interface Server {
  readonly address: Address
  readonly pool: Pool
  readonly listener: Listener
  readonly leave: () => Promise<void>
}

/**
 * The Database slot on a Postgres server: a pool of connections, each with its prepared statements.
 * A connection that breaks is replaced; what it carried is in doubt and never repeated here, since
 * only the caller knows its key.
 */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly exclusive = false
  readonly #options: PostgresOptions
  readonly #prepared = new WeakMap<Client, PreparedStatements>()
  readonly #schema: Schema
  readonly #life = new AbortController()
  #server: Server | undefined
  /** The server cannot be reached. */
  #broken: Failure | undefined
  /** It can be reached, and its schema is unusable. */
  #refused: Failure | undefined
  #probe: NodeJS.Timeout | undefined

  constructor(options: PostgresOptions) {
    this.#options = options
    const target = {
      run: (statement: Statement, signal: AbortSignal) => this.#run(statement, signal),
      transaction: <T>(work: (transaction: Transaction) => Promise<T>, signal: AbortSignal) =>
        this.#transact(work, signal, [NO_LIMIT]),
    }
    this.#schema = new Schema(
      options.migrations,
      target,
      (done) => this.#migrated(done),
      this.#life.signal,
    )
  }

  /** Connects and migrates. An `Err` says why the database cannot be used. */
  async open(signal: AbortSignal): Promise<Result<void, Failure>> {
    const opened = await until(this.#schema.ensure(), signal)
    const refused =
      opened.ok || connectionBroke(opened.error) || signal.aborted ? undefined : opened.error
    if (refused && refused.message !== this.#refused?.message)
      this.#options.log.error('database.refused', { code: refused.code, message: refused.message })
    this.#refused = refused
    return opened
  }

  async run(statement: Statement, signal: AbortSignal): Promise<Rows> {
    const usable = this.#schema.current ? undefined : await this.open(signal)
    return usable && !usable.ok ? usable : this.#run(statement, signal)
  }

  async transaction<T>(
    work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>> {
    const usable = this.#schema.current ? undefined : await this.open(signal)
    return usable && !usable.ok ? usable : this.#transact(({ run }) => work(run), signal)
  }

  listen(channel: string, onNotify: (payload: string) => void): () => void {
    const server = this.#options.listen ? this.#connect() : undefined
    return server?.ok ? server.value.listener.listen(channel, onNotify) : () => undefined
  }

  async notify(
    channel: string,
    payload: string,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const sent = await this.run(
      { sql: 'select pg_notify($1, $2)', parameters: [channel, payload] },
      signal,
    )
    return sent.ok ? ok(undefined) : sent
  }

  async purge(tables: readonly string[], signal: AbortSignal): Promise<Result<void, Failure>> {
    const usable = this.#schema.current ? ok(undefined) : await this.open(signal)
    if (!usable.ok) return usable
    const line = await this.#checkout(signal, 0)
    if (!line.ok) return line
    try {
      // Each on its own: a vacuum is no part of a transaction.
      const steps = [
        'set statement_timeout = 0',
        ...tables.map((table) => rewriteText(table)),
        // Samples of their values; a role that may not gets a warning from the database.
        rewriteText('pg_catalog', 'pg_statistic'),
        statementOf(sql`set statement_timeout = ${sql.lit(this.#options.statementTimeoutMs)}`).sql,
      ]
      for (const step of steps) {
        const done = await line.value.script(step)
        if (!done.ok) return err(this.#failed(done.error))
      }
      // Old files are removed by the next checkpoint at the latest; asking for one is for those who
      // may.
      await line.value.script('checkpoint')
      return ok(undefined)
    } finally {
      line.value.release()
    }
  }

  ready(): { readonly ready: boolean; readonly problem?: Failure } {
    const problem = this.#broken ?? this.#refused
    return { ready: this.#schema.current && problem === undefined, ...(problem && { problem }) }
  }

  /** Waits for running statements, then closes every connection. */
  async close(): Promise<void> {
    this.#life.abort(new Error('the database is closing'))
    clearTimeout(this.#probe)
    await Promise.all([this.#server?.listener.close(), this.#server?.leave()])
  }

  /** Finds the pool; connections follow as they are needed. */
  #connect(): Result<Server, Failure> {
    if (this.#server) return ok(this.#server)
    const { pool } = this.#options
    const server = pool ? ok(this.#borrow(pool)) : this.#make()
    if (server.ok) this.#server = server.value
    return server
  }

  #borrow(pool: Pool): Server {
    const broke = (cause: Error): void => void this.#failed(statementFailure(cause))
    pool.on('error', broke)
    return {
      address: addressOfPool(pool.options),
      pool,
      listener: new Listener(pool.options, this.#options.log),
      leave: async () => void pool.off('error', broke),
    }
  }

  #make(): Result<Server, Failure> {
    const address = this.#options.address()
    if (!address.ok) return address
    const { max, statementTimeoutMs, connectTimeoutMs, log } = this.#options
    const config: ClientConfig = {
      connectionString: address.value.url,
      application_name: 'amodal',
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
    }
    const pool = new Pool({
      ...config,
      max,
      allowExitOnIdle: true,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    })
    // A connection may break while nobody is asking it anything, also after the pool was closed.
    pool.on('error', (cause) => this.#failed(statementFailure(cause)))
    return ok({
      address: address.value,
      pool,
      listener: new Listener(config, log),
      leave: () => pool.end(),
    })
  }

  #run(statement: Statement, signal: AbortSignal): Promise<Rows> {
    return retryConflicts(() => this.#runOnce(statement, signal), signal)
  }

  async #runOnce(statement: Statement, signal: AbortSignal): Promise<Rows> {
    const line = await this.#checkout(signal, this.#options.statementTimeoutMs)
    if (!line.ok) return line
    try {
      const first = await line.value.batch(stepsOf(statement))
      const done =
        !first.ok && staleStatement(first.error)
          ? await line.value.batch(stepsOf(statement))
          : first
      return done.ok ? ok(this.#answered(done.value.rows)) : err(this.#failed(done.error))
    } finally {
      line.value.release()
    }
  }

  #transact<T>(
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal,
    settings?: readonly Statement[],
  ): Promise<Result<T, Failure>> {
    return retryConflicts(() => this.#transactOnce(work, signal, settings), signal)
  }

  async #transactOnce<T>(
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal,
    settings?: readonly Statement[],
  ): Promise<Result<T, Failure>> {
    const line = await this.#checkout(signal, settings ? 0 : this.#options.statementTimeoutMs)
    if (!line.ok) return line
    try {
      const done = await runTransaction(line.value, work, signal, settings)
      return done.ok ? ok(this.#answered(done.value)) : err(this.#failed(done.error))
    } finally {
      line.value.release()
    }
  }

  #checkout(signal: AbortSignal, timeoutMs: number): Promise<Result<Checkout, Failure>> {
    const server = signal.aborted ? err(notStarted(signal)) : this.#connect()
    if (!server.ok) return Promise.resolve(server)
    return new Promise((resolve) => {
      const leave = onAbort(signal, () => resolve(err(notStarted(signal))))
      server.value.pool.connect((failed, client) => {
        leave()
        if (!client) return resolve(err(this.#failed(this.#unavailable(server.value, failed))))
        if (signal.aborted) return client.release()
        resolve(ok(new Checkout({ client, prepared: this.#preparedOn(client), timeoutMs, signal })))
      })
    })
  }

  #preparedOn(client: PoolClient): PreparedStatements {
    const known = this.#prepared.get(client)
    if (known) return known
    const { prepare, pool } = this.#options
    // What a borrowed connection has prepared, its next borrower would not know.
    const made = new PreparedStatements(prepare && !pool ? undefined : 0)
    this.#prepared.set(client, made)
    // between two statements; one that was under way fails by itself
    client.on('error', () => undefined)
    return made
  }

  /**
   * Nothing was sent, but to a caller it is like a connection that broke: try again with the same
   * key.
   */
  #unavailable({ address: { shown }, pool }: Server, cause: unknown): Failure {
    if (this.#life.signal.aborted) return failure('KERNEL_CLOSED', 'the database is closing')
    const { connectTimeoutMs } = this.#options
    const { max = 10 } = pool.options
    const busy = pool.totalCount >= max && pool.idleCount === 0
    return failure(
      'DATABASE_UNAVAILABLE',
      busy
        ? `all ${max} connections to the database at ${shown} were in use for ${connectTimeoutMs} ms`
        : `the database at ${shown} cannot be reached: ${reasonOf(cause)}`,
      { details: { connection: true, address: shown }, cause },
    )
  }

  #failed(failed: Failure): Failure {
    if (!connectionBroke(failed) || this.#life.signal.aborted) return failed
    if (!this.#broken)
      this.#options.log.error('database.broke', {
        code: failed.code,
        message: failed.message,
        sqlstate: sqlstateOf(failed),
      })
    this.#broken = failed
    this.#askAgain()
    return failed
  }

  #answered<T>(value: T): T {
    if (this.#broken) this.#options.log.info('database.recovered')
    this.#broken = undefined
    return value
  }

  /**
   * While it cannot be reached, asks until it can, so that `ready()` tells of it without anybody's
   * statement.
   */
  #askAgain(): void {
    if (this.#probe || this.#life.signal.aborted) return
    this.#probe = setTimeout(() => {
      this.#probe = undefined
      if (!this.#broken) return
      void this.run(
        { sql: 'select 1', parameters: [] },
        timeLimit(this.#options.connectTimeoutMs, 'asking the database again', this.#life.signal),
      ).then((done) => {
        if (!done.ok) this.#askAgain()
      })
    }, PROBE_MS).unref()
  }

  #migrated({ applied }: Migrated): void {
    if (applied.length > 0)
      this.#options.log.info('database.migrated', {
        migrations: applied.map(({ plugin, n }) => `${plugin} ${n}`),
      })
  }
}

/**
 * A refused connection to a name with several addresses is an `AggregateError` without a message.
 */
const reasonOf = (cause: unknown): string =>
  cause instanceof AggregateError ? cause.errors.map(messageOf).join('; ') : messageOf(cause)
