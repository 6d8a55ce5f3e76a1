import {
  err,
  failure,
  ok,
  type Database,
  type Failure,
  type Logger,
  type Result,
  timeLimit,
} from '@amodal/sdk'
import { runQuery, type Selectable } from '@amodal/sdk/database'
import { digestOf, makeKey, type KnownKey } from './api-key.ts'
import { USUAL_SCOPES } from './config.ts'
import { CREATE, LIST, REVOKE } from './statements.ts'
import type { Tables } from './tables.ts'
import type { ApiKey, ApiKeys } from './tokens.ts'

const CHANNEL = 'auth_keys'
/** ms for reading all keys. */
const READ_MS = 10_000
/** ms after which they are read again without a notification of a change. */
const REFRESH_MS = 30_000
/** ms between two readings because of a key that is not known. */
const LOOK_AGAIN_MS = 2_000

/**
 * The keys in the database, all of them in memory: an unknown key takes as long as a known one, and
 * known ones stay valid while the database is unavailable.
 */
export class StoredKeys implements ApiKeys {
  readonly #database: Database
  readonly #log: Logger
  #keys: ReadonlyMap<string, KnownKey> | undefined
  #reading: Promise<Result<void, Failure>> | undefined
  #readAt = -Infinity

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Whether there ever was a key; `undefined` until they were read once. */
  get any(): boolean | undefined {
    return this.#keys && this.#keys.size > 0
  }

  /**
   * Reads them, and again when another instance changes them. Returns a function that stops this.
   */
  watch(): () => void {
    if (this.#database.exclusive) return () => undefined
    const stop = this.#database.listen(CHANNEL, () => this.#refresh())
    const timer = setInterval(() => this.#refresh(), REFRESH_MS)
    timer.unref()
    return () => {
      clearInterval(timer)
      stop()
    }
  }

  /** Reads them once; callers at the same time share it. */
  read(): Promise<Result<void, Failure>> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  find(id: string): KnownKey | undefined {
    const known = this.#keys?.get(id)
    // It may have been created a moment ago on another instance. The request does not wait for the
    // reading: that would distinguish known ids from unknown ones.
    if (!known && !this.#database.exclusive && performance.now() - this.#readAt > LOOK_AGAIN_MS)
      this.#refresh()
    return known
  }

  async create(
    {
      name,
      roles = [],
      scopes = USUAL_SCOPES,
      tenant = '',
      expiresAt,
    }: Parameters<ApiKeys['create']>[0],
    signal: AbortSignal,
  ): ReturnType<ApiKeys['create']> {
    const made = makeKey()
    const key = { tenant, id: made.id, name, roles, scopes, expiresAt: expiresAt ?? null }
    const rows = await runQuery(this.#database, CREATE({ ...key, digest: digestOf(made) }), signal)
    if (!rows.ok) return rows
    const [row] = rows.value
    if (!row) return err(failure('STORE_FAILED', 'the key was not stored'))
    await this.#changed(signal)
    return ok({ key: shown(row), text: made.text })
  }

  async list(signal: AbortSignal): ReturnType<ApiKeys['list']> {
    const rows = await runQuery(this.#database, LIST(), signal)
    return rows.ok ? ok(rows.value.map(shown)) : rows
  }

  async revoke(id: string, signal: AbortSignal): ReturnType<ApiKeys['revoke']> {
    const rows = await runQuery(this.#database, REVOKE({ id }), signal)
    if (!rows.ok) return rows
    await this.#changed(signal)
    return ok(rows.value.length > 0)
  }

  /** Reloads at once here, and in other instances on notification. */
  async #changed(signal: AbortSignal): Promise<void> {
    const notified = this.#database.exclusive
      ? ok(undefined)
      : await this.#database.notify(CHANNEL, '', signal)
    if (!notified.ok) this.#log.warn('auth.not_told', { message: notified.error.message })
    await this.#reading // which may have begun before the change
    await this.read()
  }

  #refresh(): void {
    this.#readAt = performance.now()
    void this.read().then((done) => {
      if (!done.ok)
        this.#log.warn('auth.keys_unreadable', {
          code: done.error.code,
          message: done.error.message,
        })
    })
  }

  async #read(): Promise<Result<void, Failure>> {
    this.#readAt = performance.now()
    const limit = timeLimit(READ_MS, 'reading the keys')
    const rows = await runQuery(this.#database, LIST(), limit)
    if (!rows.ok) return rows
    this.#keys = new Map(rows.value.map((row) => [row.id, knownOf(row)]))
    return ok(undefined)
  }
}

const NOWHERE = failure(
  'NOT_FOUND',
  'no keys are kept here, since there is no database for them: `amodal ops keys create --print` makes one for AMODAL_API_KEYS',
)

/** Used without a database: no key is stored. */
export const NO_STORED_KEYS: ApiKeys = {
  create: () => Promise.resolve(err(NOWHERE)),
  list: () => Promise.resolve(err(NOWHERE)),
  revoke: () => Promise.resolve(err(NOWHERE)),
}

type KeyRow = Selectable<Tables['auth_key']>

function shown(row: KeyRow): ApiKey {
  const { id, tenant, name, roles, scopes, created_at: createdAt } = row
  return {
    id,
    name,
    roles,
    scopes,
    createdAt,
    ...(tenant !== '' && { tenant }),
    ...(row.expires_at && { expiresAt: row.expires_at }),
    ...(row.revoked_at && { revokedAt: row.revoked_at }),
  }
}

function knownOf(row: KeyRow): KnownKey {
  const { id, name, roles, scopes, tenant, expiresAt, revokedAt } = shown(row)
  return {
    id,
    name,
    roles,
    scopes,
    digest: row.digest,
    revoked: revokedAt !== undefined,
    ...(tenant !== undefined && { tenant }),
    ...(expiresAt && { expiresAt: expiresAt.getTime() }),
  }
}
