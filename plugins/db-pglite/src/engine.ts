import { PGlite, protocol, type PGliteOptions } from '@electric-sql/pglite'
import {
  decodeRow,
  encodeAll,
  PreparedStatements,
  shapeOf,
  staleStatement,
  statementFailure,
  type Answer,
  type Use,
} from '@amodal/sdk/database'
import { messageOf, type Row, type Statement } from '@amodal/sdk'
import { tarEntries, tarOf } from './tar.ts'

/**
 * Maps of free and of visible pages: a sixth of the files, which Postgres makes anew when it first
 * has something to note.
 */
const REBUILT = /_(?:fsm|vm)$/

/**
 * For `initdb`: small write-ahead log segments, since one process writes little; PGlite issues no
 * fsync anyway.
 */
const INITDB_PARAMETERS: readonly string[] = ['--wal-segsize=1', '--no-sync', '--no-instructions']

/**
 * 16 MB of shared buffers instead of 128: the operating system's cache holds the folder already.
 */
const START_PARAMETERS: readonly string[] = [
  ...PGlite.defaultStartParams,
  '-c',
  'shared_buffers=16MB',
]

const READ_ONLY = 'set default_transaction_read_only = on'
const READ_WRITE = 'set default_transaction_read_only = off'

const { serialize, messages } = protocol
/** What a backend answers with, of either sort. */
type Message = Awaited<ReturnType<PGlite['execProtocolStream']>>[number]

/**
 * One open PGlite, driven at the level of the Postgres protocol: several statements travel as one
 * message and form one transaction, and a text that comes again is prepared. Calls are synchronous
 * inside, so one at a time: {@link Turns} sees to that.
 */
export class Engine {
  readonly #db: PGlite
  readonly #prepared = new PreparedStatements()
  /**
   * What went wrong inside PGlite itself: its memory is in no known state, and it may never answer
   * again.
   */
  #broken: Error | undefined
  #readOnly = false

  private constructor(db: PGlite) {
    this.#db = db
    // PGlite drops every exception of its inner loop, so that a statement that crashed would look
    // like one without rows.
    const { Module: inner } = db
    const once = inner._PostgresMainLoopOnce
    inner._PostgresMainLoopOnce = () => {
      try {
        once()
      } catch (cause) {
        if (!isLongJump(cause))
          this.#broken = new Error(`PGlite itself failed: ${messageOf(cause)}`, { cause })
        throw cause
      }
    }
  }

  /** Opens a folder or `memory://`; runs `initdb` where there is no database yet. */
  static async open(
    options: Pick<PGliteOptions, 'dataDir' | 'loadDataDir'>,
    onNotify: (channel: string, payload: string) => void,
  ): Promise<Engine> {
    const db = await PGlite.create({
      ...options,
      startParams: [...START_PARAMETERS],
      initDbStartParams: [...INITDB_PARAMETERS],
    })
    db.onNotification(onNotify)
    return new Engine(db)
  }

  /**
   * Runs the statements in order, all or none (unless a transaction is open), and answers for the
   * last. Throws what Postgres says.
   */
  async batch(statements: readonly Statement[]): Promise<Answer> {
    const uses: Use[] = []
    const parts: Uint8Array[] = []
    for (const { sql, parameters } of statements) {
      const values = encodeAll(parameters)
      const use = this.#prepared.use(sql)
      const { name } = use.statement
      uses.push(use)
      for (const old of use.close) parts.push(serialize.close({ type: 'S', name: old }))
      if (use.fresh)
        parts.push(serialize.parse({ name, text: sql }), serialize.describe({ type: 'S', name }))
      parts.push(serialize.bind({ statement: name, values }), serialize.execute({}))
    }
    parts.push(serialize.sync())
    try {
      return answerOf(uses, await this.#send(Buffer.concat(parts)))
    } catch (cause) {
      if (staleStatement(statementFailure(cause))) this.#prepared.forget()
      throw cause
    }
  }

  /** Whether every transaction is refused to write, as Postgres does it. */
  async setReadOnly(on: boolean): Promise<void> {
    if (on === this.#readOnly) return
    await this.script(on ? READ_ONLY : READ_WRITE)
    this.#readOnly = on
  }

  /** Several statements without parameters, in the open transaction or in one of their own. */
  async script(sql: string): Promise<void> {
    await this.#send(serialize.query(sql))
  }

  /**
   * The whole database as a tar from which another opens: tidied, without the maps that Postgres
   * makes anew, and of the write-ahead log (five segments, most of them recycled) what opening
   * reads.
   */
  async dump(): Promise<Uint8Array> {
    for (const step of ['vacuum', 'checkpoint', 'select pg_switch_wal()', 'checkpoint'])
      await this.script(step)
    const {
      rows: [log],
    } = await this.batch([
      {
        sql: 'select pg_walfile_name(redo_lsn) as first, pg_walfile_name(pg_current_wal_lsn()) as last from pg_control_checkpoint()',
        parameters: [],
      },
    ])
    const tar = new Uint8Array(await (await this.#db.dumpDataDir('none')).arrayBuffer())
    return tarOf(tarEntries(tar), (path) => {
      const segment = /^pg_wal\/([0-9A-F]{24})$/.exec(path)?.[1]
      return (
        !REBUILT.test(path) &&
        (segment === undefined ||
          (segment >= String(log?.['first']) && segment <= String(log?.['last'])))
      )
    })
  }

  /** Something went wrong inside PGlite itself, and it was not closed in order. */
  get broken(): boolean {
    return this.#broken !== undefined
  }

  async close(): Promise<void> {
    if (!this.#broken) await this.#db.close()
  }

  /** Goes before whatever else was thrown, or answered. */
  #unlessBroken(): void {
    if (this.#broken) throw this.#broken
  }

  async #send(message: Uint8Array): Promise<readonly Message[]> {
    this.#unlessBroken()
    try {
      return await this.#db.execProtocolStream(message, { syncToFs: false })
    } finally {
      this.#unlessBroken()
    }
  }
}

function answerOf(uses: readonly Use[], answered: readonly Message[]): Answer {
  let at = 0
  let command = ''
  const rows: Row[] = []
  for (const message of answered) {
    const statement = uses[at]?.statement
    if (!statement) break
    if (message instanceof messages.RowDescriptionMessage) {
      statement.shape = shapeOf(message.fields)
    } else if (message instanceof messages.DataRowMessage) {
      if (statement.shape && at === uses.length - 1)
        rows.push(decodeRow(statement.shape, message.fields))
    } else if (
      message instanceof messages.CommandCompleteMessage ||
      message.name === 'emptyQuery'
    ) {
      if (message instanceof messages.CommandCompleteMessage) command = message.text
      statement.known = true
      at++
    }
  }
  return { rows, command }
}

/** How Postgres leaves a statement that failed: the C longjmp, as PGlite spells it. */
const isLongJump = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && 'status' in cause && cause.status === 100
