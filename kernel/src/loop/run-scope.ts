import type { Scope } from '../container.ts'
import type { PluginError } from '../errors.ts'
import type { Generation } from '../plugin.ts'
import { RunFacts, SessionFacts } from '../ports/session.ts'

/**
 * The scope of a session in one generation. It outlives its runs until it is closed.
 */
export class SessionScope {
  readonly #generation: Generation
  readonly #facts: SessionFacts
  #scope: Scope | undefined

  constructor(generation: Generation, { tenant, session, principal }: SessionFacts) {
    this.#generation = generation
    this.#facts = { tenant, session, principal }
  }

  /** Created at the first lookup of a service. */
  get scope(): Scope {
    this.#scope ??= this.#generation.scope.child('session', [[SessionFacts, this.#facts]])
    return this.#scope
  }

  /** Whether a service was looked up: otherwise there is nothing to close. */
  get isCreated(): boolean {
    return this.#scope !== undefined
  }

  /**
   * Services are bound to a principal and a wiring, so a run of another principal or wiring gets
   * its own.
   */
  fits(generation: Generation, { tenant, session, principal }: SessionFacts): boolean {
    return (
      generation === this.#generation &&
      tenant === this.#facts.tenant &&
      session === this.#facts.session &&
      principal === this.#facts.principal
    )
  }

  async close(): Promise<void> {
    report(this.#generation, await this.#scope?.close())
  }
}

/** The scope of one run, created at the first lookup of a service. */
export class RunScope {
  readonly #generation: Generation
  readonly #facts: SessionFacts & RunFacts
  readonly #session: SessionScope
  /** The session scope belongs to this run and is closed with it. */
  readonly #ownsSession: boolean
  #run: Scope | undefined

  /** @param session of this generation and these facts; default: one that ends with the run */
  constructor(generation: Generation, facts: SessionFacts & RunFacts, session?: SessionScope) {
    this.#generation = generation
    this.#facts = facts
    this.#session = session ?? new SessionScope(generation, facts)
    this.#ownsSession = session === undefined
  }

  get scope(): Scope {
    const { run, signal } = this.#facts
    this.#run ??= this.#session.scope.child('run', [[RunFacts, { run, signal }]])
    return this.#run
  }

  async close(): Promise<void> {
    report(this.#generation, await this.#run?.close())
    if (this.#ownsSession) await this.#session.close()
  }
}

function report(generation: Generation, errors: readonly PluginError[] = []): void {
  for (const error of errors) generation.report(error)
}
