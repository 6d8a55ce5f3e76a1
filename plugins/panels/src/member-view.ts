import { matchesWildcard, type PromptDraft, type RunContext, type ToolList } from '@amodal/sdk'
import { textOverState } from '@amodal/plugin-live-state/tokens'
import { memoized } from '@amodal/sdk/loop'
import type { Template } from './template.ts'
import { isPanelTool } from './tools.ts'

/** Parts of a prompt that the instructions of a template stand in place of. */
const REPLACED: ReadonlySet<string> = new Set(['instructions', 'identity', 'state-instructions'])

/** Tools and prompt of the agent as a member has them. */
export class MemberView {
  readonly #lists = new WeakMap<ToolList, Map<string, ToolList>>()
  /** Filled in when a turn begins: what its own tools change counts with the next one. */
  readonly #instructions = new WeakMap<RunContext, string>()

  /** The same list for the same template, so that what is sent stays the same, byte for byte. */
  tools(list: ToolList, { tools }: Template): ToolList {
    return memoized(this.#lists, list, JSON.stringify(tools), () => ({
      ...list,
      tools: list.tools.filter(({ name, hidden }) => {
        if (isPanelTool(name)) return false
        // hidden ones are for the tools that name them
        if (hidden === true || tools === null) return true
        return tools.some(
          (pattern) =>
            matchesWildcard(pattern, name) || (list.aliases[pattern] ?? pattern) === name,
        )
      }),
    }))
  }

  prompt(draft: PromptDraft, { instructions }: Template, ctx: RunContext): PromptDraft | undefined {
    if (instructions === null) return undefined
    const body = this.#instructions.get(ctx) ?? textOverState(ctx, instructions)
    if (body === undefined) return undefined
    this.#instructions.set(ctx, body)
    return {
      ...draft,
      sections: [
        {
          id: 'panel-instructions',
          title: '',
          body,
          weight: 10,
          category: 'system' as const,
          plugin: 'panels',
        },
        ...draft.sections.filter(({ id, category }) => category !== 'skill' && !REPLACED.has(id)),
      ].sort((a, b) => a.weight - b.weight || (a.id < b.id ? -1 : 1)),
    }
  }
}
