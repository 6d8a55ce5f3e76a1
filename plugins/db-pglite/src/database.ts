import {
  connectionBroke,
  retryConflicts,
  runTransaction,
  Schema,
  sqlstateOf,
  staleStatement,
  statementFailure,
  stepsOf,
  until,
  type Answer,
  type Migrated,
  type MigrationLists,
  type Transaction,
  listenText,
} from '@amodal/sdk/database'
import {
  err,
  failure,
  messageOf,
  ok,
  trySync,
  type Database,
  type Failure,
  type Logger,
  type Result,
  type Row,
  type Statement,
} from '@amodal/sdk'
import type { Engine } from './engine.ts'
import { Housekeeping } from './housekeeping.ts'
import type { Opened } from './opening.ts'
import type { FolderRecord } from './record.ts'
import { purgeTables } from './purge.ts'
import { Recorder } from './recorder.ts'
import { Turns } from './turns.ts'

export interface PgliteOptions {
  /** Opens the database; called again where it broke. */
  readonly open: (
    onNotify: (channel: string, payload: string) => void,
  ) => Promise<Result<Opened, Failure>>
  /** Of the folder, which survives what happens to PGlite; none for a database in memory. */
  readonly record: FolderRecord | undefined
  /** The migrations of the current wiring: the same map until it changes. */
  readonly migrations: () => MigrationLists
  readonly log: Logger
}

type Rows = Result<readonly Row[], Failure>

/** ms before a database that would not open is tried again. */
const RETRY_MS = 2_000

/** ms after opening until its files are noted: a start has better things to do. */
const NOTE_FILES_MS = 2_000

/** Data or an index is corrupted, or the disk fails. */
const DAMAGE = /^(?:XX00[12]|58030)$/
/** A write in a transaction that only reads. */
const READ_ONLY = '25006'
/** A file that Postgres keeps; SQL may also name others. */
const MISSING_FILE = '58P01'
const OWN_FILE = /"(?:base|global|pg_[a-z]+)\//

/**
 * The Database slot on PGlite. It begins to open when told to, and every statement waits for that;
 * what went wrong shows in each statement's failure and in `ready()`. A statement that has begun
 * cannot be interrupted: an abort or a deadline takes effect while it waits for its turn, and
 * between the statements of a transaction.
 */
export class PgliteDatabase implements Database {
  readonly dialect = 'pglite'
  readonly exclusive = true
  readonly #options: PgliteOptions
  readonly #life = new AbortController()
  readonly #turns = new Turns()
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()
  readonly #schema: Schema
  readonly #housekeeping: Housekeeping
  readonly #recorder: Recorder | undefined
  #engine: Engine | undefined
  #opening: Promise<Result<void, Failure>> | undefined
  #problem: Failure | undefined

  constructor(options: PgliteOptions) {
    this.#options = options
    const target = {
      run: (statement: Statement, signal: AbortSignal) => this.#run(statement, signal),
      transaction: <T>(work: (transaction: Transaction) => Promise<T>, signal: AbortSignal) =>
        this.#transact(work, signal),
    }
    this.#schema = new Schema(
      options.migrations,
      target,
      (done) => this.#migrated(done),
      this.#life.signal,
    )
    const around = {
      turns: this.#turns,
      engine: () => this.#engine,
      record: options.record,
      log: options.log,
      life: this.#life.signal,
    }
    this.#housekeeping = new Housekeeping(around)
    this.#recorder = options.record && new Recorder(options.record, around)
  }

  /** Begins to open, without waiting for it. */
  start(): void {
    void this.#opened()
  }

  async run(statement: Statement, signal: AbortSignal): Promise<Rows> {
    const usable = this.#usable ? undefined : await this.#opened(signal)
    return usable && !usable.ok ? usable : this.#run(statement, signal)
  }

  async transaction<T>(
    work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>> {
    const usable = this.#usable ? undefined : await this.#opened(signal)
    return usable && !usable.ok ? usable : this.#transact(({ run }) => work(run), signal)
  }

  listen(channel: string, onNotify: (payload: string) => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners)
    // Its own function, so that ending one of two equal listeners leaves the other.
    const listener = (payload: string): void => onNotify(payload)
    listeners.add(listener)
    if (listeners.size === 1) this.#subscribe('listen', channel)
    return () => {
      if (
        !listeners.delete(listener) ||
        listeners.size > 0 ||
        this.#listeners.get(channel) !== listeners
      )
        return
      this.#listeners.delete(channel)
      this.#subscribe('unlisten', channel)
    }
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
    const usable = this.#usable ? ok(undefined) : await this.#opened(signal)
    if (!usable.ok) return usable
    const turn = await this.#turns.take(signal)
    if (!turn.ok) return turn
    const { record } = this.#options
    try {
      const refused = record?.refusal()
      if (refused) return err(refused)
      record?.forget() // its files become shorter
      const done = await this.#engineDo((engine) => purgeTables(engine, tables))
      record?.dropLog()
      record?.note(false)
      return done
    } finally {
      turn.value.end()
    }
  }

  ready(): { readonly ready: boolean; readonly problem?: Failure } {
    return { ready: this.#usable, ...(this.#problem && { problem: this.#problem }) }
  }

  /** Waits for running statements, then closes the folder. */
  async close(): Promise<void> {
    this.#life.abort(new Error('the database is closing'))
    await this.#opening
    const turn = await this.#turns.take(new AbortController().signal)
    const engine = this.#engine
    this.#engine = undefined
    this.#listeners.clear()
    if (engine) await this.#shut(engine)
    if (turn.ok) turn.value.end()
  }

  async #shut(engine: Engine): Promise<void> {
    const { record, log } = this.#options
    try {
      if (!engine.broken) await record?.advance(engine)
      await engine.close()
      if (!engine.broken) record?.note(true)
    } catch (cause) {
      log.warn('database.not_closed', { message: messageOf(cause) })
    }
  }

  get #usable(): boolean {
    return this.#engine !== undefined && this.#schema.current
  }

  /** Open, and at the migrations of the wiring. */
  async #opened(signal: AbortSignal = this.#life.signal): Promise<Result<void, Failure>> {
    if (this.#life.signal.aborted) return err(closing())
    this.#opening ??= this.#open()
    const opened = await until(this.#opening, signal)
    if (!opened.ok) return opened
    return this.#engine ? until(this.#migrate(), signal) : err(this.#problem ?? closing())
  }

  async #open(): Promise<Result<void, Failure>> {
    const begun = performance.now()
    const opened = await this.#options.open((channel, payload) => this.#hear(channel, payload))
    if (!opened.ok) return this.#notOpened(opened.error)
    const { engine } = opened.value
    const examined = await this.#examine(engine)
    if (!examined.ok) return this.#notOpened(examined.error)
    // Before anyone else may use the engine; a channel that is asked for meanwhile is among the
    // keys too.
    for (const channel of this.#listeners.keys())
      await engine
        .script(listenText('listen', channel))
        .catch((cause: unknown) => this.#failed(engine, cause))
    this.#engine = engine
    this.#options.log.info('database.opened', {
      from: opened.value.origin,
      ms: Math.round(performance.now() - begun),
    })
    if ((await this.#migrate()).ok) this.#problem = undefined
    return ok(undefined)
  }

  #notOpened(failed: Failure): Result<void, Failure> {
    this.#problem = failed
    this.#options.log.error('database.not_opened', { code: failed.code, message: failed.message })
    // A damaged folder does not mend itself, and every attempt takes memory.
    if (failed.code !== 'DATABASE_DAMAGED')
      setTimeout(() => {
        this.#opening = undefined
      }, RETRY_MS).unref()
    return err(failed)
  }

  /** Compares the database with what was noted of it, before anything is written. */
  async #examine(engine: Engine): Promise<Result<void, Failure>> {
    const { record, log } = this.#options
    try {
      await record?.opened(engine)
    } catch (cause) {
      return err(
        failure('DATABASE_UNAVAILABLE', `the database cannot be read: ${messageOf(cause)}`, {
          cause,
        }),
      )
    }
    setTimeout(() => {
      if (record && this.#engine === engine && !this.#life.signal.aborted)
        trySync(
          () => record.note(false),
          (cause) => log.warn('database.files_not_noted', { message: messageOf(cause) }),
        )
    }, NOTE_FILES_MS).unref()
    return ok(undefined)
  }

  async #migrate(): Promise<Result<void, Failure>> {
    const migrated = await this.#schema.ensure()
    if (migrated.ok || this.#life.signal.aborted) return migrated
    if (this.#problem?.message !== migrated.error.message)
      this.#options.log.error('database.not_migrated', {
        code: migrated.error.code,
        message: migrated.error.message,
      })
    this.#problem = migrated.error
    return migrated
  }

  #migrated({ applied }: Migrated): void {
    this.#problem = undefined
    if (applied.length > 0)
      this.#options.log.info('database.migrated', {
        migrations: applied.map(({ plugin, n }) => `${plugin} ${n}`),
      })
  }

  #run(statement: Statement, signal: AbortSignal): Promise<Rows> {
    return retryConflicts(() => this.#runOnce(statement, signal), signal)
  }

  async #runOnce(statement: Statement, signal: AbortSignal): Promise<Rows> {
    const turn = await this.#writableTurn(signal)
    if (!turn.ok) return turn
    try {
      const once = (): Promise<Result<Answer, Failure>> =>
        this.#engineDo((engine) => engine.batch(stepsOf(statement)))
      const first = await once()
      const done = !first.ok && staleStatement(first.error) ? await once() : first
      return done.ok ? ok(done.value.rows) : done
    } finally {
      turn.value.end()
    }
  }

  #transact<T>(
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>> {
    return retryConflicts(() => this.#transactOnce(work, signal), signal)
  }

  async #transactOnce<T>(
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>> {
    const turn = await this.#writableTurn(signal)
    if (!turn.ok) return turn
    try {
      return await runTransaction(
        {
          batch: async (statements) => {
            await this.#turns.breathe()
            return this.#engineDo((engine) => engine.batch(statements))
          },
          script: (sql) => this.#engineDo((engine) => engine.script(sql)),
        },
        work,
        signal,
      )
    } finally {
      turn.value.end()
    }
  }

  /** A turn, with the database open for writing or for reading only, as it may be now. */
  async #writableTurn(signal: AbortSignal): ReturnType<Turns['take']> {
    const turn = await this.#turns.take(signal)
    const engine = this.#engine
    if (!turn.ok || !engine) return turn
    try {
      await engine.setReadOnly(this.#options.record?.refusal() !== undefined)
      return turn
    } catch (cause) {
      turn.value.end()
      return err(this.#failed(engine, cause))
    }
  }

  async #engineDo<T>(act: (engine: Engine) => Promise<T>): Promise<Result<T, Failure>> {
    const engine = this.#engine
    if (!engine) return err(this.#problem ?? closing())
    this.#housekeeping.count()
    this.#recorder?.count()
    try {
      return ok(await act(engine))
    } catch (cause) {
      return err(this.#failed(engine, cause))
    }
  }

  /** An error that is not from Postgres means that PGlite itself failed: it is reopened, as after a
   * crash. */
  #failed(engine: Engine, cause: unknown): Failure {
    const failed = statementFailure(cause)
    const sqlstate = sqlstateOf(failed) ?? ''
    if (DAMAGE.test(sqlstate) || (sqlstate === MISSING_FILE && OWN_FILE.test(failed.message)))
      this.#options.record?.report([messageOf(cause)])
    if (sqlstate === READ_ONLY) return this.#options.record?.refusal() ?? failed
    if (connectionBroke(failed) && this.#engine === engine) {
      this.#problem = failed
      this.#engine = undefined
      // What was in memory only is gone; an empty database in its place would be worse than none.
      if (this.#options.record) this.#opening = undefined
      this.#options.log.error('database.broke', { message: messageOf(cause) })
    }
    return failed
  }

  #hear(channel: string, payload: string): void {
    for (const onNotify of [...(this.#listeners.get(channel) ?? [])]) {
      try {
        onNotify(payload)
      } catch (cause) {
        this.#options.log.warn('database.listener_failed', { channel, message: messageOf(cause) })
      }
    }
  }

  /**
   * Before it is open there is nothing to tell: opening subscribes to every channel that has a
   * listener then.
   */
  #subscribe(verb: 'listen' | 'unlisten', channel: string): void {
    if (!this.#engine) return
    void this.#run({ sql: listenText(verb, channel), parameters: [] }, this.#life.signal).then(
      (done) => {
        if (!done.ok && !this.#life.signal.aborted)
          this.#options.log.warn(`database.${verb}_failed`, {
            channel,
            message: done.error.message,
          })
      },
    )
  }
}

const closing = (): Failure => failure('KERNEL_CLOSED', 'the database is closing')
