import type { Generation, SessionFacts } from '@amodal/sdk'
import { SessionScope } from '@amodal/sdk/loop'
import type { Resident } from './residents.ts'

/**
 * The services of a session that is served here. They go on from run to run, and idle with the
 * session's history.
 */
export class SessionServices {
  #scope: SessionScope | undefined
  /** The scope of the newest run is closed. */
  #runClosed: Promise<void> = Promise.resolve()

  /** Goes on with those of a session that was idle. */
  resume(resident: Resident | undefined): void {
    this.#scope = resident?.scope
  }

  /** For a run. Those of another principal, or of another wiring, are closed once their run is. */
  for(generation: Generation, facts: SessionFacts): SessionScope {
    if (this.#scope?.fits(generation, facts)) return this.#scope
    this.end()
    return (this.#scope = new SessionScope(generation, facts))
  }

  /**
   * What is worth keeping while the session is idle: services that nobody has asked for are none.
   */
  get createdScope(): SessionScope | undefined {
    return this.#scope?.isMade === true ? this.#scope : undefined
  }

  /** Somebody else keeps them from here on. */
  handOver(): void {
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
