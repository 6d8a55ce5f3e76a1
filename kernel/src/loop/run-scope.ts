import type { Scope } from '../container.ts'
import type { PluginError } from '../errors.ts'
import type { Generation } from '../generation.ts'
import { RunFacts, SessionFacts } from '../ports/session.ts'

/** The scopes of one run, made when somebody first asks for a service. */
export class RunScope {
  readonly #generation: Generation
  readonly #facts: SessionFacts & RunFacts
  #session: Scope | undefined
  #run: Scope | undefined

  constructor(generation: Generation, facts: SessionFacts & RunFacts) {
    this.#generation = generation
    this.#facts = facts
  }

  get scope(): Scope {
    if (this.#run) return this.#run
    const { tenant, session, principal, run, signal } = this.#facts
    this.#session = this.#generation.scope.child('session', [[SessionFacts, { tenant, session, principal }]])
    return this.#run = this.#session.child('run', [[RunFacts, { run, signal }]])
  }

  async close(): Promise<void> {
    const errors: readonly PluginError[] = await this.#session?.close() ?? []
    for (const error of errors) this.#generation.report(error)
  }
}
