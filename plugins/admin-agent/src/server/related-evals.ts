import {
  messageOf,
  tryAsync,
  type Agent,
  type Caller,
  type JsonObject,
  type Logger,
} from '@amodal/sdk'
import type { Evals } from '@amodal/plugin-evals/tokens'

interface Parts {
  readonly agent: Agent
  /** Left out: this agent has no evals. */
  readonly evals: Evals | undefined
  readonly log: Logger
}

/** Names the cases of evals that an accepted change can make another result of. */
export class RelatedEvals {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * The new files are in use afterwards, so that a run that is started next runs with them.
   *
   * @returns `null` where there are no evals, or what they need cannot be read: the change itself
   *   is accepted
   */
  async of(
    files: readonly string[],
    caller: Caller,
    signal: AbortSignal,
  ): Promise<JsonObject | null> {
    const { agent, evals, log } = this.#parts
    if (!evals) return null
    // One that is refused is reported by the agent; its cases are those of the files in use.
    await agent.reloadBundle(signal)
    const related = await tryAsync(() => evals.related(files, caller), messageOf)
    if (!related.ok) {
      log.warn('related_evals_unread', { message: related.error })
      return null
    }
    const { cases, everything, total } = related.value
    return { cases: [...cases], everything: everything ?? null, total }
  }
}
