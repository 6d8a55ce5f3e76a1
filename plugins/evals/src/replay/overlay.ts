import {
  PromptCompiler,
  PromptSections,
  Tools,
  type AgentBundle,
  type Generation,
  type ModelConfig,
  type PromptDraft,
  type RunContext,
  type ToolList,
} from '@amodal/sdk'
import { changedBundle, type DocumentChange } from '../change/changed-bundle.ts'
import { readsFiles } from './course.ts'

/** How the agent of one replay differs from the one that serves it. */
export class Overlay {
  readonly model: ModelConfig | undefined
  readonly #changes: readonly DocumentChange[]
  readonly #bundles = new WeakMap<AgentBundle, AgentBundle>()
  readonly #lists = new WeakMap<AgentBundle, ToolList>()

  constructor(changes: readonly DocumentChange[], model: ModelConfig | undefined) {
    this.#changes = changes
    this.model = model
  }

  /** The files of a run with the changed documents; a role that does not see them has none. */
  bundleOf({ bundle }: Pick<RunContext, 'bundle'>): AgentBundle | undefined {
    if (this.#changes.length === 0) return undefined
    const known = this.#bundles.get(bundle)
    if (known) return known
    const changed = changedBundle(bundle, this.#changes)
    if (!changed.ok) return undefined
    this.#bundles.set(bundle, changed.value.bundle)
    return changed.value.bundle
  }

  /** The tools of a run, those that read files from the changed ones. */
  tools(list: ToolList, run: RunContext, generation: Generation): ToolList {
    const bundle = this.bundleOf(run)
    if (!bundle) return list
    const known = this.#lists.get(bundle)
    if (known) return known
    const own = [...generation.registry(Tools).values()]
      .flatMap((source) => source.tools(bundle))
      .filter(readsFiles)
    const tools = [...list.tools.filter((tool) => !readsFiles(tool)), ...own]
    const order = new Map(list.tools.map(({ name }, index) => [name, index]))
    const placed = tools.toSorted(
      (one, other) => (order.get(one.name) ?? Infinity) - (order.get(other.name) ?? Infinity),
    )
    const changed = { ...list, tools: placed }
    this.#lists.set(bundle, changed)
    return changed
  }

  /** The prompt of a run, compiled of the changed files. */
  draft(run: RunContext, generation: Generation): PromptDraft | undefined {
    const bundle = this.bundleOf(run)
    const compiler = generation.scope.find(PromptCompiler)
    const list = bundle && this.#lists.get(bundle)
    if (!bundle || !compiler || !list) return undefined
    const sources = new Map(
      [...generation.registry(PromptSections)].map(([key, source]) => [
        key,
        { source, plugin: generation.ownerOf(PromptSections, key) ?? key },
      ]),
    )
    return compiler.draft(bundle, list, sources)
  }
}
