import { createHash } from 'node:crypto'
import type { Database } from '@amodal/sdk'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { pgClient } from './shared-windows.ts'

/** How often something may happen; `null`: without a limit. */
export interface RateOptions {
  readonly perMinute: number | null
  readonly perHour?: number | null | undefined
}

/**
 * Keys that are counted in memory at the same time; beyond that the oldest is evicted.
 */
const MAX_KEYS = 50_000

/** Rate limit by minute and by hour, in memory or shared by all instances. */
export class Rate {
  readonly #shared: readonly RateLimiterPostgres[]
  readonly #own: readonly MemoryWindow[]

  /**
   * @param name of what is counted
   * @param database where other instances count too; while it is away each counts for itself
   */
  constructor(
    name: string,
    { perMinute, perHour = null }: RateOptions,
    database: Database | undefined,
  ) {
    const limits = [
      { points: perMinute, duration: 60 },
      { points: perHour, duration: 3_600 },
    ].flatMap(({ points, duration }) => (points === null ? [] : [{ points, duration }]))
    this.#own = limits.map((limit) => new MemoryWindow(limit))
    this.#shared =
      database === undefined
        ? []
        : limits.map(
            (limit) =>
              new RateLimiterPostgres({
                ...limit,
                storeClient: pgClient(database),
                storeType: 'client',
                tableName: 'limits_window',
                tableCreated: true,
                clearExpiredByTimeout: false,
                keyPrefix: `${name}:${limit.duration}`,
                // a key beyond its limit is refused without a query
                inMemoryBlockOnConsumed: limit.points + 1,
              }),
          )
  }

  /** Counts one event. @returns ms to wait if the limit is exceeded */
  async consume(subject: string): Promise<number | undefined> {
    const key = createHash('sha256').update(subject).digest('base64url')
    const waits = await Promise.all(
      this.#own.map(
        async (own, at) =>
          (await waitOf(this.#shared[at]?.consume(key))) ?? (await waitOf(own.consume(key))) ?? 0,
      ),
    )
    const longest = Math.max(...waits, 0)
    return longest > 0 ? longest : undefined
  }

  /** Forgets everything, and its timers. */
  async close(): Promise<void> {
    await Promise.all(this.#own.map((window) => window.close()))
  }
}

/** The library's limiter with a bound on keys: it keeps a timer for each. */
class MemoryWindow {
  readonly #limiter: RateLimiterMemory
  readonly #keys = new Set<string>()

  constructor(limit: { readonly points: number; readonly duration: number }) {
    this.#limiter = new RateLimiterMemory({ ...limit, keyPrefix: '' })
  }

  consume(key: string): Promise<RateLimiterRes> {
    const [first] = this.#keys
    if (!this.#keys.has(key) && this.#keys.size >= MAX_KEYS && first !== undefined)
      void this.#forget(first)
    this.#keys.add(key)
    return this.#limiter.consume(key)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#keys].map((key) => this.#forget(key)))
  }

  #forget(key: string): Promise<boolean> {
    this.#keys.delete(key)
    return this.#limiter.delete(key)
  }
}

/**
 * ms to wait: the library rejects with its counts if the limit is exceeded. `undefined` if the
 * count failed.
 */
async function waitOf(consumed: Promise<RateLimiterRes> | undefined): Promise<number | undefined> {
  try {
    return (await consumed) && 0
  } catch (cause) {
    return cause instanceof RateLimiterRes ? Math.max(1, cause.msBeforeNext) : undefined
  }
}
