import {
  err,
  failure,
  type AgentBundle,
  type BundleIssue,
  type JsonObject,
  type Logger,
} from '@amodal/sdk'
import type { Rewiring } from './tokens.ts'

/** Fields of the manifest that determine how the agent is wired. */
const FIELDS = ['preset', 'plugins', 'runtime', 'stores'] as const

/**
 * Rewires the agent when the wiring in its manifest changes. Most edits do not change it.
 */
export class WiringWatch {
  readonly #rewire: Rewiring | undefined
  readonly #log: Logger
  #inUse: AgentBundle | undefined
  /** Why the wiring in the manifest is not applied. */
  problem: string | undefined

  constructor(rewire: Rewiring | undefined, log: Logger) {
    this.#rewire = rewire
    this.#log = log
  }

  /** What is wrong with the wiring of files that are to be used. */
  async check(bundle: AgentBundle): Promise<readonly BundleIssue[]> {
    return this.#isOther(bundle) && bundle.root === this.#inUse?.root
      ? ((await this.#rewire?.check()) ?? [])
      : []
  }

  used(bundle: AgentBundle): void {
    const isOther = this.#isOther(bundle)
    this.#inUse = bundle
    // The current load does not wait for this, since rewiring may replace the plugin that runs it.
    if (isOther) void this.#take().catch((cause: unknown) => this.#tell(String(cause)))
  }

  async #take(): Promise<void> {
    const done = this.#rewire
      ? await this.#rewire.apply()
      : err(
          failure('RESTART_NEEDED', 'amodal.json asks for another wiring: start the server again'),
        )
    if (!done.ok) return this.#tell(done.error.message)
    this.problem = undefined
    this.#log.info('files.rewired', {})
  }

  #tell(message: string): void {
    this.problem = message
    this.#log.error('files.unwired', { message })
  }

  #isOther({ manifest }: AgentBundle): boolean {
    return (
      this.#inUse !== undefined && wiringOf(this.#inUse.manifest.raw) !== wiringOf(manifest.raw)
    )
  }
}

const wiringOf = (raw: JsonObject): string =>
  JSON.stringify(FIELDS.map((field) => raw[field] ?? null))
