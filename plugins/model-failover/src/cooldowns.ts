import type { Clock, ModelCooldown, ModelError } from '@amodal/sdk'
import type { Candidate } from './candidates.ts'

export interface CooldownOptions {
  readonly baseMs: number
  /** The longest time, whatever a provider asks for: then one call finds out. */
  readonly maxMs: number
  /**
   * The same where fewer sessions than `sessions` have met the failure: what one of them is told
   * holds the others up no longer.
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
  /** Whose it was; one session says the same however often it asks. */
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
 * How long each candidate is left alone, for all sessions of this process. When its time is over,
 * one call at a time finds out whether it works again: whoever else comes meanwhile takes another
 * one, or waits.
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
   * Somebody tries it now: others keep away for as long as a first cooldown takes, unless it turns
   * out well before.
   */
  trying({ key }: Candidate): void {
    const known = this.#known.get(key)
    if (known && known.failures > 0)
      known.until = Math.max(known.until, this.#clock.monotonic() + this.#options.baseMs)
  }

  /** It failed. Calls that were under way together fail together, and count as one failure. */
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

  /** It works, unless it has failed since. @param began when the call was made, monotonic ms */
  worked(key: string, began: number): void {
    const known = this.#known.get(key)
    if (known && began > known.failedAt) this.#known.delete(key)
  }

  /** Those that are left alone now. */
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

  /** ms that the provider wants to be left alone for, as far as that is granted. */
  #asked({ retryAfterMs }: ModelError, baseMs: number, isConfirmed: boolean): number {
    if (retryAfterMs === undefined) return 0
    const { maxMs, unconfirmedMs, jitter, random } = this.#options
    return Math.min(
      retryAfterMs + jitter * random() * Math.min(retryAfterMs, baseMs),
      isConfirmed ? maxMs : Math.min(maxMs, unconfirmedMs),
    )
  }

  /** What is known of a candidate, unless it is so long ago that it says nothing of today. */
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
 * Whether the failure may be due to what was asked: some messages make a provider fail. That is no
 * evidence against the credential before different sessions have met it.
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
