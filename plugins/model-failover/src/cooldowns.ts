import type { Clock, ModelCooldown, ModelError } from '@amodal/sdk'
import type { Candidate } from './candidates.ts'

export interface CooldownOptions {
  readonly baseMs: number
  readonly maxMs: number
  /** From 0, none, to 1: how much of a time may be taken off or, where a provider names it, put on. */
  readonly jitter: number
  readonly random: () => number
}

interface Cooling {
  readonly candidate: Candidate
  readonly failures: number
  /** Monotonic ms. */
  readonly failedAt: number
  until: number
  readonly error: ModelError
  readonly message: string
}

/** Ways that are remembered; beyond, whichever failed first is forgotten. */
const MOST = 1_000

/**
 * How long each way is left alone, for all sessions of this process. When its time is over, one call at a time finds
 * out whether it works again: whoever else comes meanwhile takes another one, or waits.
 */
export class Cooldowns {
  readonly #clock: Clock
  readonly #options: CooldownOptions
  readonly #cooling = new Map<string, Cooling>()

  constructor(clock: Clock, options: CooldownOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** ms until this way may be tried; 0: now. */
  left({ key }: Candidate): number {
    return Math.max(0, (this.#cooling.get(key)?.until ?? 0) - this.#clock.monotonic())
  }

  /** Somebody tries it now: others keep away for as long as a first cooldown takes, unless it turns out well before. */
  trying({ key }: Candidate): void {
    const known = this.#cooling.get(key)
    if (known) known.until = Math.max(known.until, this.#clock.monotonic() + this.#options.baseMs)
  }

  /**
   * It failed. Calls that were under way together fail together, and count as one failure.
   *
   * @param began when the call was made, monotonic ms
   * @param baseMs of a first failure, where the agent names it
   */
  failed(candidate: Candidate, error: ModelError, message: string, began: number, baseMs = this.#options.baseMs): void {
    const { maxMs, jitter, random } = this.#options
    const now = this.#clock.monotonic()
    const known = this.#cooling.get(candidate.key)
    const asked = error.retryAfterMs === undefined ? now : now + error.retryAfterMs + jitter * random() * Math.min(error.retryAfterMs, baseMs)
    if (known && began <= known.failedAt) {
      known.until = Math.max(known.until, asked)
      return
    }
    const failures = (known?.failures ?? 0) + 1
    const own = Math.min(maxMs, baseMs * 2 ** (failures - 1)) * (1 - jitter * random())
    this.#cooling.delete(candidate.key)
    if (this.#cooling.size >= MOST) for (const first of this.#cooling.keys()) { this.#cooling.delete(first); break }
    this.#cooling.set(candidate.key, { candidate, failures, failedAt: now, until: Math.max(now + own, asked), error, message })
  }

  /** It works, unless it has failed since. @param began when the call was made, monotonic ms */
  worked(key: string, began: number): void {
    const known = this.#cooling.get(key)
    if (known && began > known.failedAt) this.#cooling.delete(key)
  }

  /** Those that are left alone now. */
  list(): readonly ModelCooldown[] {
    return [...this.#cooling.values()].flatMap(({ candidate, failures, error, message }) => {
      const coolingMs = Math.ceil(this.left(candidate))
      const { config: { provider, model }, profile } = candidate
      return coolingMs === 0 ? [] : [{ provider, model, profile, class: error.class, failures, coolingMs, message }]
    })
  }
}
