import type { Clock, ModelCooldown, ModelError } from '@amodal/sdk'
import type { Candidate } from './candidates.ts'

export interface CooldownOptions {
  readonly baseMs: number
  /** The longest time, whatever a provider asks for: then one call finds out. */
  readonly maxMs: number
  /**
   * The same while fewer than `sessions` sessions have seen the failure: a `Retry-After` of one
   * session delays the others no longer than this.
   */
  readonly unconfirmedMs: number
  /** Different sessions that have to meet a failure that may be due to what was asked. */
  readonly sessions: number
  /**
   * From 0, none, to 1: how much of a time may be taken off or, where a provider names it, put on.
   */
  readonly jitter: number
  readonly random: () => number
}

/** One failed call. */
export interface FailedCall {
  readonly error: ModelError
  readonly message: string
  /** When the call was made, monotonic ms. */
  readonly began: number
  /** The session of the call; repeated failures of one session count once. */
  readonly session: string
  /** Of a first failure, where the agent names it. */
  readonly baseMs?: number | undefined
}

interface Known {
  readonly candidate: Candidate
  readonly sessions: Set<string>
  /** In a row, that count; 0: nothing is held against the candidate yet. */
  failures: number
  /** Monotonic ms. */
  failedAt: number
  until: number
  error: ModelError
  message: string
}

/** Candidates that are remembered; beyond, whichever failed first is forgotten. */
const MOST = 1_000
/** Sessions that are remembered of one. */
const MOST_SESSIONS = 100

/**
 * Cooldowns of candidates, shared by all sessions of this process. After a cooldown one call at a
 * time probes whether the candidate works again; other calls use another candidate or wait.
 */
export class Cooldowns {
  readonly #clock: Clock
  readonly #options: CooldownOptions
  readonly #known = new Map<string, Known>()

  constructor(clock: Clock, options: CooldownOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** ms until this candidate may be tried; 0: now. */
  left({ key }: Candidate): number {
    return Math.max(0, (this.#known.get(key)?.until ?? 0) - this.#clock.monotonic())
  }

  /**
   * Marks a probe: other calls avoid the candidate for the length of a first cooldown, unless the
   * probe succeeds earlier.
   */
  trying({ key }: Candidate): void {
    const known = this.#known.get(key)
    if (known && known.failures > 0)
      known.until = Math.max(known.until, this.#clock.monotonic() + this.#options.baseMs)
  }

  /** Records a failure. Concurrent calls that fail together count as one failure. */
  failed(
    candidate: Candidate,
    { error, message, began, session, baseMs = this.#options.baseMs }: FailedCall,
  ): void {
    const now = this.#clock.monotonic()
    const known =
      this.#remembered(candidate, now) ??
      this.#remember({
        candidate,
        sessions: new Set(),
        failures: 0,
        failedAt: -Infinity,
        until: now,
        error,
        message,
      })
    const isNewFailure = began > known.failedAt
    const isNewSession = !known.sessions.has(session)
    if (known.sessions.size < MOST_SESSIONS) known.sessions.add(session)
    const isConfirmed = known.sessions.size >= this.#options.sessions
    if (!isConfirmed && isOfRequest(error)) {
      Object.assign(known, { failedAt: Math.max(known.failedAt, now), error, message })
      return
    }
    const asked = this.#asked(error, baseMs, isConfirmed)
    const isFirst = known.failures === 0
    if (!isFirst && (!isNewFailure || (!isNewSession && isOfRequest(error)))) {
      known.until = Math.max(known.until, now + asked)
      return
    }
    if (isFirst || isNewSession) known.failures += 1
    const { maxMs, jitter, random } = this.#options
    const own = Math.min(maxMs, baseMs * 2 ** (known.failures - 1)) * (1 - jitter * random())
    Object.assign(known, { failedAt: now, until: Math.max(now + own, now + asked), error, message })
  }

  /** Records a success, unless it failed since. @param began start of the call, monotonic ms */
  worked(key: string, began: number): void {
    const known = this.#known.get(key)
    if (known && began > known.failedAt) this.#known.delete(key)
  }

  /** The candidates that are cooling down. */
  list(): readonly ModelCooldown[] {
    return [...this.#known.values()].flatMap(({ candidate, failures, error, message }) => {
      const coolingMs = Math.ceil(this.left(candidate))
      const {
        config: { provider, model },
        profile,
      } = candidate
      const until = new Date(this.#clock.now() + coolingMs).toISOString()
      return coolingMs === 0
        ? []
        : [{ provider, model, profile, class: error.class, failures, coolingMs, until, message }]
    })
  }

  /** ms that the provider asks to wait, bounded by the settings. */
  #asked({ retryAfterMs }: ModelError, baseMs: number, isConfirmed: boolean): number {
    if (retryAfterMs === undefined) return 0
    const { maxMs, unconfirmedMs, jitter, random } = this.#options
    return Math.min(
      retryAfterMs + jitter * random() * Math.min(retryAfterMs, baseMs),
      isConfirmed ? maxMs : Math.min(maxMs, unconfirmedMs),
    )
  }

  /** The state of a candidate, unless it is too old to matter. */
  #remembered({ key }: Candidate, now: number): Known | undefined {
    const known = this.#known.get(key)
    return known && now - Math.max(known.failedAt, known.until) > this.#options.maxMs
      ? undefined
      : known
  }

  #remember(known: Known): Known {
    this.#known.delete(known.candidate.key)
    if (this.#known.size >= MOST)
      for (const first of this.#known.keys()) {
        this.#known.delete(first)
        break
      }
    this.#known.set(known.candidate.key, known)
    return known
  }
}

/**
 * Whether the request may have caused the failure: some messages make a provider fail. It is held
 * against the credential only after several sessions have seen it.
 */
function isOfRequest(error: ModelError): boolean {
  switch (error.class) {
    case 'server':
    case 'timeout':
      return true
    case 'unknown':
      return error.status !== 404
    case 'auth':
    case 'billing':
    case 'quota':
    case 'rate_limit':
    case 'overflow':
    case 'content':
      return false
  }
}
