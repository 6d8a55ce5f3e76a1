import { registry, slot } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'
import type { PromptDraft, PromptSection } from './prompt-draft.ts'
import type { ToolList } from './tool.ts'

/**
 * Makes sections from the bundle and the tools of the turn; asked once per bundle and generation.
 */
export interface SectionSource {
  sections(bundle: AgentBundle, tools: ToolList): readonly PromptSection[]
}
export const PromptSections = registry<SectionSource>('prompt-sections')

export interface CompiledPrompt extends PromptDraft {
  readonly text: string
  readonly tokens: number
  readonly window: number
}

/** The one compiler: what it makes is what the model gets and what `inspect` shows. */
export interface PromptCompiler {
  /**
   * Collects the sections; the loop passes the result through `prompt.compile` and then to
   * `render`.
   */
  draft(
    bundle: AgentBundle,
    tools: ToolList,
    sources: ReadonlyMap<string, { readonly source: SectionSource; readonly plugin: string }>,
  ): PromptDraft
  render(draft: PromptDraft, bundle: AgentBundle): CompiledPrompt
}
export const PromptCompiler = slot.kernel<PromptCompiler>('prompt-compiler')
