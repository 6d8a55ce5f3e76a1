import { messageOf, type Logger } from '@amodal/sdk'
import type { Engine } from './engine.ts'
import type { HousekeepingOptions } from './housekeeping.ts'
import type { FolderRecord } from './record.ts'
import type { Turns } from './turns.ts'

/**
 * ms after a statement until it is noted how far the database has come: under load twenty notes a
 * second, for all statements.
 */
const NOTE_MS = 50

/** Notes how far the database has come, soon after there was something to note. */
export class Recorder {
  readonly #record: FolderRecord
  readonly #turns: Turns
  readonly #engine: () => Engine | undefined
  readonly #log: Logger
  readonly #life: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #failed = false

  constructor(
    record: FolderRecord,
    { turns, engine, log, life }: Omit<HousekeepingOptions, 'record'>,
  ) {
    this.#record = record
    this.#turns = turns
    this.#engine = engine
    this.#log = log
    this.#life = life
    life.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
  }

  /** A statement was run. */
  count(): void {
    if (this.#timer || this.#life.aborted) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#advance().then(
        () => {
          this.#failed = false
        },
        (cause: unknown) => this.#fail(cause),
      )
    }, NOTE_MS).unref()
  }

  /** Logged once, and again only after a success: otherwise a full disk would fill the log. */
  #fail(cause: unknown): void {
    if (!this.#failed) this.#log.warn('database.progress_not_noted', { message: messageOf(cause) })
    this.#failed = true
  }

  async #advance(): Promise<void> {
    const turn = await this.#turns.take(this.#life)
    if (!turn.ok) return
    try {
      const engine = this.#engine()
      if (engine) await this.#record.advance(engine)
    } finally {
      turn.value.end()
    }
  }
}
