import { createHash } from 'node:crypto'
import type { Database } from '@amodal/sdk'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { pgClient } from './shared-windows.ts'

/** How often something may happen; `null`: as often as anybody likes. */
export interface RateOptions {
  readonly perMinute: number | null
  readonly perHour?: number | null | undefined
}

/**
 * Those that are counted in memory at the same time; beyond, whoever was counted first is
 * forgotten.
 */
const MOST_KEYS = 50_000

/** Counts what happens in a minute and in an hour, in memory or for all instances together. */
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
                // whoever is past it costs the database nothing
                inMemoryBlockOnConsumed: limit.points + 1,
              }),
          )
  }

  /** Counts one more. @returns ms after which there is room again, where there is none now */
  async take(whose: string): Promise<number | undefined> {
    const key = createHash('sha256').update(whose).digest('base64url')
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

/** The library's own, bounded: it keeps a timer for everybody it counts. */
class MemoryWindow {
  readonly #limiter: RateLimiterMemory
  readonly #keys = new Set<string>()

  constructor(limit: { readonly points: number; readonly duration: number }) {
    this.#limiter = new RateLimiterMemory({ ...limit, keyPrefix: '' })
  }

  consume(key: string): Promise<RateLimiterRes> {
    const [first] = this.#keys
    if (!this.#keys.has(key) && this.#keys.size >= MOST_KEYS && first !== undefined)
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
 * ms to wait: the library rejects with its counts where there is no room. `undefined` where nothing
 * was counted.
 */
async function waitOf(taken: Promise<RateLimiterRes> | undefined): Promise<number | undefined> {
  try {
    return (await taken) && 0
  } catch (cause) {
    return cause instanceof RateLimiterRes ? Math.max(1, cause.msBeforeNext) : undefined
  }
}
