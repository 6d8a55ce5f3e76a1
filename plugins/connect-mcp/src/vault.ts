import {
  err,
  failure,
  LOCAL_TENANT,
  ok,
  sessionId,
  timeLimit,
  type Database,
  type Failure,
  type Logger,
  type Result,
  type Sealer,
  type SessionRef,
} from '@amodal/sdk'
import { runQuery } from '@amodal/sdk/database'
import { HOLD, PRUNE, PUT, READ, RELEASE, REPLACE, TAKE } from './statements.ts'

type Outcome<T> = Promise<Result<T, Failure>>

export interface Kept {
  readonly version: number
  readonly text: string
}

/**
 * Where credentials of connections are kept. Several instances share one: a text is replaced by
 * its version, and held by the instance that is about to replace it.
 */
export interface Vault {
  /** It survives this process. */
  readonly lasting: boolean
  read(name: string): Outcome<Kept | undefined>
  /** @param seconds after which it is gone; left out: never */
  put(name: string, text: string, seconds?: number): Outcome<number>
  /** @returns its new version; `undefined` where it is another one than `version` by now */
  replace(name: string, version: number, text: string): Outcome<number | undefined>
  /** @returns whether this instance alone may replace it now, for so many seconds */
  hold(name: string, version: number, seconds: number): Outcome<boolean>
  release(name: string, version: number): Outcome<void>
  /** Reads and removes it: two who take the same get it once. */
  take(name: string): Outcome<Kept | undefined>
  /** Told the names of texts that another instance has changed. Returns what ends it. */
  watch(changed: (name: string) => void): () => void
}

const STATEMENT_MS = 10_000
const CHANNEL = 'connect_mcp_secrets'

/** In the database, encrypted under the master key. */
export class DatabaseVault implements Vault {
  readonly lasting = true
  readonly #database: Database
  readonly #sealer: Sealer
  readonly #log: Logger

  constructor(database: Database, sealer: Sealer, log: Logger) {
    this.#database = database
    this.#sealer = sealer
    this.#log = log
  }

  async read(name: string): Outcome<Kept | undefined> {
    const rows = await runQuery(this.#database, READ({ name }), limit('reading'))
    return rows.ok ? this.#open(name, rows.value[0]) : rows
  }

  async put(name: string, text: string, seconds?: number): Outcome<number> {
    const sealed = this.#sealer.seal(placeOf(name), text)
    if (!sealed.ok) return sealed
    if (seconds !== undefined) await runQuery(this.#database, PRUNE(), limit('removing'))
    const rows = await runQuery(
      this.#database,
      PUT({ name, sealed: sealed.value, seconds: seconds ?? null }),
      limit('keeping'),
    )
    if (!rows.ok) return rows
    const [row] = rows.value
    if (!row) return err(failure('STORE_FAILED', 'the credentials of a connection were not kept'))
    await this.#tell(name)
    return ok(row.version)
  }

  async replace(name: string, version: number, text: string): Outcome<number | undefined> {
    const sealed = this.#sealer.seal(placeOf(name), text)
    if (!sealed.ok) return sealed
    const rows = await runQuery(
      this.#database,
      REPLACE({ name, version, sealed: sealed.value }),
      limit('replacing'),
    )
    if (!rows.ok) return rows
    if (rows.value.length > 0) await this.#tell(name)
    return ok(rows.value[0]?.version)
  }

  async hold(name: string, version: number, seconds: number): Outcome<boolean> {
    const rows = await runQuery(this.#database, HOLD({ name, version, seconds }), limit('holding'))
    return rows.ok ? ok(rows.value.length > 0) : rows
  }

  async release(name: string, version: number): Outcome<void> {
    const rows = await runQuery(this.#database, RELEASE({ name, version }), limit('releasing'))
    return rows.ok ? ok(undefined) : rows
  }

  async take(name: string): Outcome<Kept | undefined> {
    const rows = await runQuery(this.#database, TAKE({ name }), limit('taking'))
    if (!rows.ok) return rows
    const [row] = rows.value
    if (!row) return ok(undefined)
    await this.#tell(name)
    return this.#open(name, row.live ? row : undefined)
  }

  watch(changed: (name: string) => void): () => void {
    return this.#database.exclusive
      ? () => undefined
      : this.#database.listen(CHANNEL, (name) => changed(name))
  }

  #open(
    name: string,
    row: { readonly version: number; readonly sealed: string } | undefined,
  ): Result<Kept | undefined, Failure> {
    if (!row) return ok(undefined)
    const text = this.#sealer.open(placeOf(name), row.sealed)
    return text.ok ? ok({ version: row.version, text: text.value }) : text
  }

  async #tell(name: string): Promise<void> {
    if (this.#database.exclusive) return
    const told = await this.#database.notify(CHANNEL, name, limit('announcing'))
    // others read it once the server refuses what they have
    if (!told.ok) this.#log.warn('mcp.not_told', { message: told.error.message })
  }
}

/** Where there is no database: gone with this process. */
export class MemoryVault implements Vault {
  readonly lasting = false
  readonly #texts = new Map<string, Kept & { readonly until: number }>()

  async read(name: string): Outcome<Kept | undefined> {
    return ok(this.#live(name))
  }

  async put(name: string, text: string, seconds = Infinity): Outcome<number> {
    for (const known of this.#texts.keys()) if (!this.#live(known)) this.#texts.delete(known)
    const version = (this.#live(name)?.version ?? 0) + 1
    this.#texts.set(name, { version, text, until: performance.now() + seconds * 1_000 })
    return ok(version)
  }

  async replace(name: string, version: number, text: string): Outcome<number | undefined> {
    return this.#live(name)?.version === version ? this.put(name, text) : ok(undefined)
  }

  /** There is no other instance, and callers in this one share what they replace. */
  async hold(name: string, version: number): Outcome<boolean> {
    return ok(this.#live(name)?.version === version)
  }

  async release(): Outcome<void> {
    return ok(undefined)
  }

  async take(name: string): Outcome<Kept | undefined> {
    const kept = this.#live(name)
    this.#texts.delete(name)
    return ok(kept)
  }

  watch(): () => void {
    return () => undefined
  }

  #live(name: string): Kept | undefined {
    const kept = this.#texts.get(name)
    return kept && performance.now() < kept.until
      ? { version: kept.version, text: kept.text }
      : undefined
  }
}

const limit = (doing: string): AbortSignal =>
  timeLimit(STATEMENT_MS, `${doing} the credentials of an MCP server`)

/**
 * A sealer has a key for each session. The name in its place gives each text a key of its own, so
 * that a text opens under its own name only.
 */
const placeOf = (name: string): SessionRef => ({
  tenant: LOCAL_TENANT,
  session: sessionId(`connect-mcp:${name}`),
})
