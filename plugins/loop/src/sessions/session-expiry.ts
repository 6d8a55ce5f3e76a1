import {
  AuditTrail,
  err,
  failure,
  messageOf,
  principalId,
  SYSTEM,
  timeLimit,
  tryAsync,
  type AgentHooks,
  type ArchivableSession,
  type Clock,
  type Failure,
  type Generation,
  type HealthFact,
  type Logger,
  type OverdueSession,
  type Result,
  type Retention,
  type SessionRef,
  type SessionRow,
  type SessionStore,
} from '@amodal/sdk'
import { callStore, SessionArchive } from '@amodal/sdk/loop'
import { shortestOf } from './retention.ts'
import { sessionKey } from './session-key.ts'

/** The most sessions of one sweep. */
const SESSIONS_PER_SWEEP = 200
/** The most entries of one read. */
const ENTRIES_PER_READ = 500
/** The time limit of archiving one session, ms. */
const ARCHIVE_MS = 120_000
/** The consecutive failures that end a sweep, since the archive itself must be failing. */
const MAX_FAILURES = 3
const LONGEST_RETRY_MS = 3_600_000
const [SHORTEST_SWEEP_MS, LONGEST_SWEEP_MS] = [100, 60_000]

interface ExpiryParts {
  readonly retention: Retention
  /** The time limit of one request to the store, ms. */
  readonly storeMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly store: () => SessionStore
  readonly generation: () => Generation
  readonly hooks: () => AgentHooks
  /** Drops a session from the memory cache. */
  readonly forget: (ref: SessionRef) => void
}

/** A session that could not be archived. */
interface Retry {
  readonly tries: number
  /** Monotonic ms. */
  readonly dueAt: number
}

/**
 * Marks sessions as idle, and deletes expired histories, after archiving them if there is an
 * archive. All instances do it, each in a random order, so they rarely work on the same session.
 */
export class SessionExpiry {
  readonly #parts: ExpiryParts
  readonly #life = new AbortController()
  readonly #retries = new Map<string, Retry>()
  /** ms between two sweeps, and the first retry delay. */
  #sweepMs = LONGEST_SWEEP_MS
  #problem: string | undefined
  #archived = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #sweeping: Promise<void> | undefined

  constructor(parts: ExpiryParts) {
    this.#parts = parts
  }

  start(): void {
    const shortest = shortestOf(this.#parts.retention)
    if (shortest === undefined) return
    this.#sweepMs = Math.min(LONGEST_SWEEP_MS, Math.max(SHORTEST_SWEEP_MS, shortest / 4))
    this.#timer = setInterval(() => this.#startSweep(), this.#sweepMs)
    this.#timer.unref?.()
  }

  /** Aborts the sweep in progress; the next sweep archives the sessions that were not deleted. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#life.abort(new Error('the server is stopping'))
    await this.#sweeping
  }

  /** The facts for `GET /health`; empty without an archive. */
  health(): HealthFact {
    if (!this.#parts.generation().scope.has(SessionArchive)) return { facts: {} }
    const waiting = this.#retries.size
    return {
      facts: { session_archive: { archived: this.#archived, failing: waiting } },
      ...(waiting > 0 && {
        problem: `${waiting} expired ${waiting === 1 ? 'session is' : 'sessions are'} kept, because they cannot be archived: ${this.#problem ?? ''}`,
      }),
    }
  }

  #startSweep(): void {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined
    })
  }

  async #sweep(): Promise<void> {
    const { retention } = this.#parts
    const limit = SESSIONS_PER_SWEEP + Math.min(this.#retries.size, 10 * SESSIONS_PER_SWEEP)
    const overdue = await this.#callStore((store, signal) =>
      store.overdue(retention, limit, signal),
    )
    if (overdue.ok) await this.#expireAll(overdue.value)
    if (this.#life.signal.aborted) return
    const idle = await this.#callStore((store, signal) =>
      store.idle(retention, SESSIONS_PER_SWEEP, signal),
    )
    if (idle.ok) this.#notify('idle', idle.value)
  }

  async #expireAll(overdue: readonly OverdueSession[]): Promise<void> {
    const archive = this.#parts.generation().scope.find(SessionArchive)
    const known = new Set(overdue.map(sessionKey))
    for (const key of this.#retries.keys()) if (!known.has(key)) this.#retries.delete(key)
    if (!archive) return this.#expire(overdue)
    await this.#expire(overdue.filter(({ head }) => head === 0))
    const due = overdue.filter((session) => session.head > 0 && this.#isDue(session))
    let failures = 0
    for (const session of inAnyOrder(due)) {
      const archived = await this.#archive(archive, session)
      if (this.#life.signal.aborted) return
      if (archived.ok && archived.value) await this.#expire([session])
      this.#recordArchiving(session, archived)
      failures = archived.ok ? 0 : failures + 1
      if (failures >= MAX_FAILURES) return
    }
  }

  /** @returns `false` if the session is no longer due */
  async #archive(archive: SessionArchive, ref: OverdueSession): Promise<Result<boolean, Failure>> {
    const row = await this.#row(ref)
    if (!row.ok || !row.value) return row.ok ? { ok: true, value: false } : row
    const session = this.#archivable(ref, row.value)
    const limit = timeLimit(ARCHIVE_MS, 'archiving a session', this.#life.signal)
    const tried = await tryAsync(
      () => archive.keep(session, limit),
      (cause) => failure('STORE_FAILED', messageOf(cause), { cause }),
    )
    const archived = tried.ok ? tried.value : tried
    if (!archived.ok) {
      // A session that was deleted meanwhile has no entries left to read.
      const still = await this.#row(ref)
      return still.ok && !still.value ? { ok: true, value: false } : archived
    }
    this.#archived++
    const { place, sha256 } = archived.value
    const written = await this.#parts
      .generation()
      .scope.find(AuditTrail)
      ?.write(
        {
          tenant: ref.tenant,
          key: `session.archived:${ref.session}:${sha256}`,
          kind: 'session.archived',
          at: this.#parts.clock.now(),
          principal: principalId(row.value.principal),
          session: ref.session,
          data: { place, sha256, entries: ref.head },
        },
        limit,
      )
    return written?.ok === false ? written : { ok: true, value: true }
  }

  /** The row of a session, if it has not changed since the sweep found it. */
  async #row(ref: OverdueSession): Promise<Result<SessionRow | undefined, Failure>> {
    const row = await this.#callStore((store, signal) => store.row(ref, signal))
    if (!row.ok) return row
    const isSame = row.value?.status === 'idle' && row.value.head === ref.head
    return { ok: true, value: isSame ? row.value : undefined }
  }

  #archivable(ref: OverdueSession, row: SessionRow): ArchivableSession {
    const store = this.#parts.store()
    const { tenant, session, head } = ref
    return {
      tenant,
      session,
      row,
      async *entries(signal) {
        for (let after = 0; after < head;) {
          const range = { after, upto: head, limit: ENTRIES_PER_READ }
          const page = await store.entries({ tenant, session }, range, signal)
          const last = page.ok ? page.value.at(-1) : undefined
          yield page.ok && !last ? err(incomplete(session)) : page
          if (!last) return
          after = last.seq
        }
      },
    }
  }

  #isDue(ref: OverdueSession): boolean {
    const retry = this.#retries.get(sessionKey(ref))
    return !retry || retry.dueAt <= this.#parts.clock.monotonic()
  }

  #recordArchiving(ref: OverdueSession, outcome: Result<unknown, Failure>): void {
    const key = sessionKey(ref)
    if (outcome.ok) {
      this.#retries.delete(key)
      return
    }
    const tries = (this.#retries.get(key)?.tries ?? 0) + 1
    const delay = Math.min(LONGEST_RETRY_MS, this.#sweepMs * 2 ** Math.min(tries - 1, 10))
    this.#retries.set(key, { tries, dueAt: this.#parts.clock.monotonic() + delay })
    const { code, message } = outcome.error
    this.#problem = `${code}: ${message}`
    const { tenant, session } = ref
    this.#parts.log.error('session_archive.failed', { tenant, session, tries, code, message })
  }

  async #expire(sessions: readonly OverdueSession[]): Promise<void> {
    if (sessions.length === 0) return
    const expired = await this.#callStore((store, signal) => store.expire(sessions, signal))
    if (expired.ok) this.#notify('expired', expired.value)
  }

  #notify(reason: 'idle' | 'expired', refs: readonly SessionRef[]): void {
    const { close } = this.#parts.hooks().session
    for (const ref of refs) {
      this.#parts.forget(ref)
      if (close.tapped) void close.call({ ...ref, principal: SYSTEM }, reason)
    }
  }

  #callStore<T>(
    work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    return callStore(this.#parts.storeMs, (signal) => work(this.#parts.store(), signal))
  }
}

const incomplete = (session: string): Failure =>
  failure('STORE_FAILED', `entries of ${session} are missing: it is not archived as it is`)

/** Fisher–Yates. */
function inAnyOrder<T>(items: readonly T[]): readonly T[] {
  const mixed = [...items]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    const [one, two] = [mixed[at], mixed[other]]
    if (one !== undefined && two !== undefined) [mixed[at], mixed[other]] = [two, one]
  }
  return mixed
}
