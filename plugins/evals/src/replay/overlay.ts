import type { AgentBundle, ModelConfig } from '@amodal/sdk'
import { changedBundle, type DocumentChange } from '../change/changed-bundle.ts'

/** How the agent of one replay differs from the one that serves it. */
export class Overlay {
  readonly model: ModelConfig | undefined
  readonly #changes: readonly DocumentChange[]
  readonly #bundles = new WeakMap<AgentBundle, AgentBundle>()

  constructor(changes: readonly DocumentChange[], model: ModelConfig | undefined) {
    this.#changes = changes
    this.model = model
  }

  /**
   * The files of a run with the changed documents: one object for each, so that prompt and tools
   * are compiled once.
   *
   * @param bundle as the caller's roles allow it: one that lacks a changed document stays as it is
   */
  bundleOf(bundle: AgentBundle): AgentBundle {
    if (this.#changes.length === 0) return bundle
    const known = this.#bundles.get(bundle)
    if (known) return known
    const changed = changedBundle(bundle, this.#changes)
    const own = changed.ok ? changed.value.bundle : bundle
    this.#bundles.set(bundle, own)
    return own
  }
}
