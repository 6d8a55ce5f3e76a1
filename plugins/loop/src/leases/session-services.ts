import type { Generation, SessionFacts } from '@amodal/sdk'
import { SessionScope } from '@amodal/sdk/loop'
import type { Resident } from './residents.ts'

/**
 * The services of a session that is served here. They persist between runs and are cached with the
 * session's history.
 */
export class SessionServices {
  #scope: SessionScope | undefined
  /** Resolves when the scope of the newest run is closed. */
  #runClosed: Promise<void> = Promise.resolve()

  /** Takes over the services of an idle session. */
  resume(resident: Resident | undefined): void {
    this.#scope = resident?.scope
  }

  /**
   * The services for a run. Services of another principal or generation are closed once their run
   * is.
   */
  for(generation: Generation, facts: SessionFacts): SessionScope {
    if (this.#scope?.fits(generation, facts)) return this.#scope
    this.end()
    return (this.#scope = new SessionScope(generation, facts))
  }

  /** The scope to retain while the session is idle, if any of its services was created. */
  get createdScope(): SessionScope | undefined {
    return this.#scope?.isCreated === true ? this.#scope : undefined
  }

  /** Leaves the services open, for the cache that owns them from now on. */
  leaveOpen(): void {
    this.#scope = undefined
  }

  runEnds(closed: Promise<void>): void {
    this.#runClosed = closed
  }

  end(): void {
    const scope = this.#scope
    this.#scope = undefined
    if (scope) void this.#runClosed.then(() => scope.close())
  }
}
