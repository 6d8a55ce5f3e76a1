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

/** The prompt before the final edits of `prompt.compile`. */
export interface PromptDraft {
  /**
   * `plugin`: the plugin that added the section; set by the caller of the hook. `changedBy`: the
   * plugins whose taps have changed its text.
   */
  readonly sections: readonly (PromptSection & {
    readonly plugin: string
    readonly changedBy?: readonly string[]
  })[]
}
