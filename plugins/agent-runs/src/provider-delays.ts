import { modelErrorOf, type Failure, type SessionId } from '@amodal/sdk'

const FIRST_MS = 5_000
const MOST_MS = 600_000
/** Sessions that are remembered. */
const MOST = 10_000

/** How long providers asked to be left alone, by the session that was told. */
export class ProviderDelays {
  readonly #told = new Map<SessionId, number>()

  heard(session: SessionId, error: Failure): void {
    const { class: kind, retryAfterMs } = modelErrorOf(error)
    if (kind !== 'rate_limit' || retryAfterMs === undefined) return
    if (this.#told.size >= MOST) this.#told.clear()
    this.#told.set(session, retryAfterMs)
  }

  /**
   * ms until a run is tried again: what its provider asked for, or a time that doubles with each
   * attempt, spread by a quarter.
   */
  of(session: SessionId, attempt: number): number {
    const told = this.#told.get(session)
    this.#told.delete(session)
    const usual = Math.min(MOST_MS, FIRST_MS * 2 ** (attempt - 1))
    return Math.round((told ?? usual) * (1 + Math.random() / 4))
  }
}
