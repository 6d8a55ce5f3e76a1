import { messageOf, type Agent, type Logger } from '@amodal/sdk'
import { PeriodicTask } from '@amodal/sdk/database'
import type { DeployedSource } from './deployed-source.ts'
import type { DeploymentStore } from './deployment-store.ts'

/** Codes after which the same snapshot may load the next time. */
const PASSING: ReadonlySet<string> = new Set(['STORE_FAILED', 'TIMEOUT', 'NOT_WRITABLE'])

interface Parts {
  readonly store: DeploymentStore
  readonly source: () => DeployedSource | undefined
  readonly agent: () => Agent | undefined
  readonly log: Logger
  /** ms between two looks at the pointer. */
  readonly pollMs: number
}

/** Has the agent load the snapshot that the pointer names, whoever has moved it. */
export class Follower {
  readonly #parts: Parts
  /** A version whose snapshot is not to be used, however often it is tried. */
  #refused: number | undefined
  #last: Promise<void> = Promise.resolve()
  #poll: PeriodicTask | undefined
  #unwatch: (() => void) | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    const { store, pollMs } = this.#parts
    this.#unwatch = store.watch(() => void this.follow())
    if (!store.isShared) return
    this.#poll = new PeriodicTask(pollMs, async () => {
      await this.follow()
      return false
    })
    this.#poll.start()
  }

  async close(): Promise<void> {
    this.#unwatch?.()
    await this.#poll?.stop()
    await this.#last
  }

  /** Resolves once the pointer of this moment is followed, or cannot be. Never rejects. */
  follow(): Promise<void> {
    this.#last = this.#last
      .then(() => this.#follow())
      .catch((cause: unknown) =>
        this.#parts.log.error('deploy.not_followed', { message: messageOf(cause) }),
      )
    return this.#last
  }

  async #follow(): Promise<void> {
    const agent = this.#parts.agent()
    const source = this.#parts.source()
    // What is about to start reads the pointer itself.
    if (!agent?.bundle() || !source) return
    const pointer = await this.#parts.store.pointer()
    if (!pointer.ok) {
      const { code, message } = pointer.error
      this.#parts.log.warn('deploy.not_followed', { code, message })
      return
    }
    const { version } = pointer.value
    if (version === source.pointer.version || version === this.#refused) return
    const loaded = await agent.reloadBundle()
    this.#refused = loaded.ok || PASSING.has(loaded.error.code) ? undefined : version
  }
}
