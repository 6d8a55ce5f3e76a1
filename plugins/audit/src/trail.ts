import {
  type AuditDraft,
  type AuditTrail,
  err,
  type Failure,
  type Logger,
  ok,
  type Result,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { connectionBroke, isConflict } from '@amodal/sdk/database'
import type { AuditLine } from './line.ts'
import type { ChainStore } from './store.ts'
import { AuditUnavailable } from './errors.ts'

/** ms that lines are batched if no caller waits for them. */
const GATHER_MS = 50
/**
 * The same for lines whose fact stands in the journal too: after a crash they are written from
 * there.
 */
const GATHER_JOURNALED_MS = 250
const RETRY_MS = 1_000
/** ms until a store that could not be reached is asked again. */
const AWAY_MS = 100
/** Lines of one statement, and lines kept while the store is away. */
const MOST_AT_ONCE = 500
const MOST_WAITING = 20_000
const WRITE_MS = 10_000

interface Timer {
  readonly timeout: ReturnType<typeof setTimeout>
  readonly due: number
}

interface Waiting {
  readonly draft: AuditDraft
  readonly settle?: (result: Result<void, Failure>) => void
}

/**
 * Writes lines to the chains: batched, in order, one statement at a time per tenant, with retries
 * until they are committed.
 */
export class Trail implements AuditTrail {
  readonly #store: ChainStore
  readonly #log: Logger
  readonly #kept: (tenant: TenantId, lines: readonly AuditLine[]) => void
  readonly #waiting = new Map<TenantId, Waiting[]>()
  readonly #flying = new Map<TenantId, Promise<void>>()
  readonly #timers = new Map<TenantId, Timer>()
  /** Why lines cannot be committed now. */
  problem: Failure | undefined

  /** @param kept called with every line once it is committed to its chain */
  constructor(
    store: ChainStore,
    log: Logger,
    kept: (tenant: TenantId, lines: readonly AuditLine[]) => void,
  ) {
    this.#store = store
    this.#log = log
    this.#kept = kept
  }

  record(draft: AuditDraft): void {
    this.#add({ draft })
    this.#later(draft.tenant, GATHER_MS)
  }

  /** A line that `catchUp` would write from the journal: it may wait for more of its kind. */
  recordJournaled(draft: AuditDraft): void {
    this.#add({ draft })
    this.#later(draft.tenant, GATHER_JOURNALED_MS)
  }

  write(draft: AuditDraft, signal: AbortSignal): Promise<Result<void, Failure>> {
    return new Promise((resolve) => {
      const given = (): void =>
        resolve(err(AuditUnavailable('the caller stopped waiting for this line')))
      signal.addEventListener('abort', given, { once: true })
      this.#add({
        draft,
        settle: (result) => {
          signal.removeEventListener('abort', given)
          resolve(result)
        },
      })
      void this.#fly(draft.tenant)
    })
  }

  /** All lines that wait, written now; those that are on their way are waited for. */
  async flush(): Promise<void> {
    await Promise.all(
      [...this.#waiting.keys()].map(async (tenant) => {
        await this.#flying.get(tenant)
        for (let tries = 0; tries < 3 && this.#of(tenant).length > 0; tries++)
          await (this.#flying.get(tenant) ?? this.#fly(tenant))
      }),
    )
  }

  close(): void {
    for (const { timeout } of this.#timers.values()) clearTimeout(timeout)
    this.#timers.clear()
  }

  #of(tenant: TenantId): Waiting[] {
    const waiting = this.#waiting.get(tenant) ?? []
    this.#waiting.set(tenant, waiting)
    return waiting
  }

  #add(one: Waiting): void {
    const waiting = this.#of(one.draft.tenant)
    waiting.push(one)
    if (waiting.length <= MOST_WAITING) return
    const [dropped] = waiting.splice(0, 1)
    this.#log.error('audit.dropped', {
      key: dropped?.draft.key ?? '',
      message: 'the audit log cannot be written, and too many lines wait for it',
    })
  }

  #later(tenant: TenantId, ms: number): void {
    const due = performance.now() + ms
    const armed = this.#timers.get(tenant)
    if (this.#flying.has(tenant) || (armed && armed.due <= due)) return
    clearTimeout(armed?.timeout)
    const timeout = setTimeout(() => {
      this.#timers.delete(tenant)
      void this.#fly(tenant)
    }, ms)
    timeout.unref()
    this.#timers.set(tenant, { timeout, due })
  }

  #fly(tenant: TenantId): Promise<void> {
    const flying = this.#flying.get(tenant)
    if (flying) return flying
    clearTimeout(this.#timers.get(tenant)?.timeout)
    this.#timers.delete(tenant)
    // In the next turn of the event loop, so that all lines of this turn are written together.
    const flight = new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
      .then(() => this.#send(tenant))
      .then((again) => {
        this.#flying.delete(tenant)
        if (this.#of(tenant).length > 0) this.#later(tenant, again)
      })
    this.#flying.set(tenant, flight)
    return flight
  }

  /** Returns after how many ms what is left is sent. */
  async #send(tenant: TenantId): Promise<number> {
    const batch = this.#of(tenant).splice(0, MOST_AT_ONCE)
    const added = await this.#store.append(
      tenant,
      batch.map(({ draft }) => draft),
      timeLimit(WRITE_MS, 'writing to the audit log'),
    )
    this.#report(added)
    if (added.ok) {
      for (const { settle } of batch) settle?.(ok(undefined))
      this.#kept(tenant, added.value)
      return 0
    }
    // The outcome is unknown: retrying the same lines resolves it. Callers that wait have their own
    // deadline.
    if (isAway(added.error)) {
      this.#of(tenant).unshift(...batch)
      return AWAY_MS
    }
    const refused = err(
      AuditUnavailable(`the audit log cannot be written: ${added.error.message}`, {
        cause: added.error,
      }),
    )
    for (const { settle } of batch) settle?.(refused)
    // Callers that waited get the failure. Lines without a waiting caller stay queued.
    this.#of(tenant).unshift(...batch.filter(({ settle }) => !settle))
    return RETRY_MS
  }

  #report(added: Result<unknown, Failure>): void {
    if (!added.ok && !this.problem)
      this.#log.error('audit.unavailable', { code: added.error.code, message: added.error.message })
    if (added.ok && this.problem) this.#log.info('audit.available', {})
    this.problem = added.ok ? undefined : added.error
  }
}

/**
 * The lines were neither committed nor rejected: the store is unavailable, or concurrent writers
 * outlasted its own retries.
 */
const isAway = (of: Failure): boolean =>
  of.code === 'DATABASE_UNAVAILABLE' || connectionBroke(of) || isConflict(of)
