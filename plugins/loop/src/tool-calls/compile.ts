import {
  type AgentBundle,
  type AgentHooks,
  type BundleIssue,
  type CompiledPrompt,
  err,
  type Failure,
  type Generation,
  type ModelConfig,
  ok,
  PluginError,
  PromptCompiler,
  type PromptDraft,
  PromptSections,
  providerOf,
  type Result,
  RoleView,
  type RunContext,
  type ToolList,
  Tools,
  type ToolSchema,
} from '@amodal/sdk'
import { withDeadline } from '@amodal/sdk/loop'
import { collectTools, type ToolSet, toolSet } from './tool-set.ts'

interface Compiled {
  readonly tools: ToolSet
  readonly draft: PromptDraft
  readonly prompt: CompiledPrompt
  /** Issues of tools that are excluded for their names. */
  readonly issues: readonly BundleIssue[]
}

/** The run to compile for, and its taps. */
type Asking = RunContext & { readonly hooks: AgentHooks }

/** Room for several sets of roles, and for two bundles around a reload. */
const MAX_COMPILED = 32
/** The longest wait for sources that are still connecting, ms. */
const SETTLE_MS = 15_000

const EMPTY: CompiledPrompt = { sections: [], text: '', tokens: 0, window: 0 }
const failed = (error: PluginError): Result<never, Failure> => err(error.toFailure())

/**
 * Compiles tools and prompt once per generation and bundle. The cache is released with its
 * generation.
 */
export class CompileCache {
  readonly #compiled = new WeakMap<Generation, Map<string, Compiled>>()
  /** A turn keeps its first set of tools, even when their sources change. */
  readonly #begun = new WeakMap<Asking, Compiled>()
  /**
   * Tool sets, cached by the list object that a tap returned: a tap may return the same object for
   * several turns.
   */
  readonly #listed = new WeakMap<ToolList, ToolSet>()
  readonly #checked = new WeakMap<readonly ToolSchema[], Set<string>>()

  /** The tools and the prompt of a bundle; without `turn` no taps are called. */
  async compile(
    generation: Generation,
    bundle: AgentBundle,
    turn: Asking | undefined,
  ): Promise<Result<{ readonly tools: ToolSet; readonly prompt: CompiledPrompt }, Failure>> {
    const begun = turn && this.#begun.get(turn)
    if (!begun) await settled(generation, bundle)
    const base = begun ? ok(begun) : this.#base(generation, bundle)
    if (!base.ok) return base
    if (!turn) return base
    this.#begun.set(turn, base.value)
    const listed = await this.#withListed(base.value, generation, bundle, turn)
    return listed.ok ? withEdited(listed.value, generation, bundle, turn) : listed
  }

  /**
   * Issues of tools from external sources that are excluded for their names; those of files are
   * among the issues of the bundle.
   */
  nameIssues(generation: Generation, bundle: AgentBundle): readonly BundleIssue[] {
    const base = this.#base(generation, bundle)
    if (!base.ok) return []
    return base.value.issues.filter(
      ({ message }) => !bundle.issues.some((known) => known.message === message),
    )
  }

  /** Applies the taps of `tools.list`, and renders the prompt for the tools that remain. */
  async #withListed(
    compiled: Compiled,
    generation: Generation,
    bundle: AgentBundle,
    turn: Asking,
  ): Promise<Result<Compiled, Failure>> {
    const { list } = turn.hooks.tools
    if (!list.tapped) return ok(compiled)
    const listed = await list.call(compiled.tools, turn)
    if (!listed.ok) return failed(listed.error)
    if (listed.value === compiled.tools) return ok(compiled)
    const tools = this.#listed.get(listed.value) ?? toolSet(listed.value)
    this.#listed.set(listed.value, tools)
    const { issues } = compiled
    return ok({ tools, issues, ...this.#prompt(generation, bundle, tools) })
  }

  /**
   * What a model does not support of its configuration and the tools. Reported once for each
   * generation and bundle.
   */
  unsupported(
    generation: Generation,
    config: ModelConfig,
    schemas: readonly ToolSchema[],
  ): readonly string[] {
    const known = this.#checked.get(schemas) ?? new Set<string>()
    const name = `${config.provider}/${config.model}`
    this.#checked.set(schemas, known)
    if (known.has(name)) return []
    known.add(name)
    const provider = providerOf(generation, config)
    return provider.ok ? (provider.value.check?.(config, schemas) ?? []) : []
  }

  #base(generation: Generation, bundle: AgentBundle): Result<Compiled, Failure> {
    let byBundle = this.#compiled.get(generation)
    if (!byBundle) this.#compiled.set(generation, (byBundle = new Map<string, Compiled>()))
    try {
      const key = [bundle.hash, ...revisions(generation, bundle)].join(' ')
      const known = byBundle.get(key)
      if (known) return ok(known)
      const { list, issues } = collectTools(generation, bundle)
      const tools = toolSet(generation.scope.find(RoleView)?.tools(list, bundle) ?? list)
      const compiled = { tools, issues, ...this.#prompt(generation, bundle, tools) }
      if (byBundle.size >= MAX_COMPILED) byBundle.clear() // only the newest ones are used
      byBundle.set(key, compiled)
      return ok(compiled)
    } catch (cause) {
      return failed(
        PluginError.is(cause) ? cause : new PluginError('prompt', 'tool', 'compile', cause),
      )
    }
  }

  #prompt(
    generation: Generation,
    bundle: AgentBundle,
    tools: ToolSet,
  ): { readonly draft: PromptDraft; readonly prompt: CompiledPrompt } {
    const compiler = generation.scope.find(PromptCompiler)
    if (!compiler) return { draft: EMPTY, prompt: EMPTY }
    const sources = new Map(
      [...generation.registry(PromptSections)].map(([key, source]) => [
        key,
        { source, plugin: generation.ownerOf(PromptSections, key) ?? key },
      ]),
    )
    const draft = compiler.draft(bundle, tools, sources)
    return { draft, prompt: compiler.render(draft, bundle) }
  }
}

/** Applies the taps of `prompt.compile`. */
async function withEdited(
  compiled: Compiled,
  generation: Generation,
  bundle: AgentBundle,
  turn: Asking,
): Promise<Result<Compiled, Failure>> {
  const { compile } = turn.hooks.prompt
  if (!compile.tapped) return ok(compiled)
  const edited = await compile.call(compiled.draft, turn)
  if (!edited.ok) return failed(edited.error)
  const prompt =
    edited.value === compiled.draft
      ? undefined
      : generation.scope.find(PromptCompiler)?.render(edited.value, bundle)
  return ok(prompt ? { ...compiled, prompt } : compiled)
}

/** Waits for sources that are still loading their tools. */
async function settled(generation: Generation, bundle: AgentBundle): Promise<void> {
  const waits = [...generation.registry(Tools).values()].flatMap(
    (source) => source.settled?.(bundle) ?? [],
  )
  if (waits.length > 0)
    await withDeadline(() => Promise.allSettled(waits), SETTLE_MS).catch(() => undefined)
}

/** The revisions of sources whose tools change independently of the bundle. */
const revisions = (generation: Generation, bundle: AgentBundle): readonly string[] =>
  [...generation.registry(Tools)].flatMap(([name, source]) =>
    source.revision ? [`${name}=${source.revision(bundle)}`] : [],
  )
