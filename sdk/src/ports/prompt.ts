import { registry, slot } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'
import type { ToolList } from './tool.ts'

/**
 * One part of the system prompt. Equal input must give equal text, or provider caches never hit.
 */
export interface PromptSection {
  /** Unique in a prompt, such as `skills`. */
  readonly id: string
  readonly title: string
  readonly body: string
  /**
   * Ascending; ties by id. 0 user context, 10 instructions, 30 skills, 40 knowledge, 50 stores, 60
   * memory.
   */
  readonly weight: number
  readonly category: 'system' | 'skill' | 'knowledge' | 'connection' | 'store' | 'memory' | 'other'
  /** What this is made of, for the budget table. */
  readonly parts?: readonly {
    readonly name: string
    readonly chars: number
    readonly file?: string
  }[]
}

/**
 * Makes sections from the bundle and the tools of the turn; asked once per bundle and generation.
 */
export interface SectionSource {
  sections(bundle: AgentBundle, tools: ToolList): readonly PromptSection[]
}
export const PromptSections = registry<SectionSource>('prompt-sections')

/** The prompt before the final edits of `prompt.compile`. */
export interface PromptDraft {
  /**
   * `plugin`: who put it there, set for a tap by whoever calls it. `changedBy`: whose taps have
   * changed its text.
   */
  readonly sections: readonly (PromptSection & {
    readonly plugin: string
    readonly changedBy?: readonly string[]
  })[]
}

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
