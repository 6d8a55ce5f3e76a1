import { messageOf, type Logger } from '@amodal/sdk'
import { vacuumText } from '@amodal/sdk/database'
import type { Engine } from './engine.ts'
import type { FolderRecord } from './record.ts'
import type { Turns } from './turns.ts'

/**
 * Statements after which it looks whether there is something to do; overdue at ten times as many.
 */
const EVERY = 1_000
const IDLE_MS = 100
const LOG_BYTES = 16 * 1024 * 1024

const LOG_SIZE =
  'select (pg_current_wal_lsn() - redo_lsn)::bigint bytes from pg_control_checkpoint()'
const NEGLECTED = `
select schemaname, relname from pg_stat_user_tables
where n_dead_tup > 1000 + n_live_tup / 5 or n_mod_since_analyze > 1000 + n_live_tup / 5`

export interface HousekeepingOptions {
  readonly turns: Turns
  readonly engine: () => Engine | undefined
  readonly record: FolderRecord | undefined
  readonly log: Logger
  readonly life: AbortSignal
}

/**
 * Does what Postgres' background processes would do, and PGlite has none: a checkpoint before the
 * write-ahead log grows long (after a crash it is read again), and vacuum with fresh statistics for
 * tables with many dead rows. Waits for a quiet moment; under load it does not wait for ever.
 */
export class Housekeeping {
  readonly #turns: Turns
  readonly #engine: () => Engine | undefined
  readonly #record: FolderRecord | undefined
  readonly #log: Logger
  readonly #life: AbortSignal
  #statements = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ turns, engine, record, log, life }: HousekeepingOptions) {
    this.#turns = turns
    this.#engine = engine
    this.#record = record
    this.#log = log
    this.#life = life
    life.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
  }

  /** A statement was run. */
  count(): void {
    if (++this.#statements >= EVERY && !this.#timer && !this.#life.aborted) this.#arm()
  }

  #arm(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.#turns.idle && this.#statements < 10 * EVERY) this.#arm()
      else
        void this.#tidy().catch((cause: unknown) =>
          this.#log.warn('database.housekeeping_failed', { message: messageOf(cause) }),
        )
    }, IDLE_MS).unref()
  }

  async #tidy(): Promise<void> {
    const turn = await this.#turns.take(this.#life)
    if (!turn.ok) return
    try {
      const engine = this.#engine()
      // vacuum and checkpoint write, too
      if (!engine || this.#record?.refusal()) return
      this.#statements = 0
      const {
        rows: [log],
      } = await engine.batch([{ sql: LOG_SIZE, parameters: [] }])
      if (Number(log?.['bytes']) > LOG_BYTES) await engine.script('checkpoint')
      const { rows: tables } = await engine.batch([{ sql: NEGLECTED, parameters: [] }])
      if (tables.length === 0) return
      this.#record?.forget() // vacuum cuts empty pages off
      for (const { schemaname, relname } of tables) {
        await this.#turns.breathe()
        await engine.script(vacuumText(String(schemaname), String(relname)))
      }
      this.#record?.note(false)
    } finally {
      turn.value.end()
    }
  }
}
