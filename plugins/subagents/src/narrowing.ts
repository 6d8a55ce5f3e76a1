import type { Message, PromptDraft, ToolList } from '@amodal/sdk'
import { memoized } from '@amodal/sdk/loop'
import { DISPATCH_TASK } from './dispatch-task.ts'
import type { Child } from './child.ts'
import type { Definition } from './definition.ts'

/** Tools for conversations with people: a sub-agent has them only if its definition names them. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  'present',
  'activate_skill',
  'enter_plan_mode',
  'propose_plan',
])

/**
 * The subset of the agent's tools that a sub-agent has: the same list object for equal input, so
 * that its prompt stays the same.
 */
export class ToolNarrowing {
  readonly #lists = new WeakMap<ToolList, Map<string, ToolList>>()
  readonly #drafts = new WeakMap<PromptDraft, Map<string, PromptDraft>>()

  tools(list: ToolList, { tools: names, left }: Child): ToolList {
    return memoized(this.#lists, list, JSON.stringify([names ?? null, left]), () => {
      const named = names && new Set(names.map((name) => list.aliases[name] ?? name))
      const has = (name: string): boolean =>
        (name !== DISPATCH_TASK || left > 1) && (named ? named.has(name) : !FOR_PEOPLE.has(name))
      // Hidden ones are for the tools that name them.
      return {
        ...list,
        tools: list.tools.filter(({ name, hidden }) => hidden === true || has(name)),
      }
    })
  }

  /**
   * Its own prompt in place of the agent's instructions and skills; knowledge, connections and
   * stores stay as they are.
   */
  prompt(draft: PromptDraft, definition: Definition): PromptDraft {
    return memoized(this.#drafts, draft, JSON.stringify(definition), () => {
      const section = { title: '', weight: 10, category: 'system' as const, plugin: 'subagents' }
      const { prompt, file, name } = definition
      return {
        sections: [
          ...draft.sections.filter(
            ({ id, category }) =>
              category !== 'skill' && id !== 'instructions' && id !== 'identity',
          ),
          {
            ...section,
            id: 'subagent',
            body: prompt,
            parts: [{ name, chars: prompt.length, ...(file === undefined ? {} : { file }) }],
          },
          { ...section, id: 'subagent-task', weight: 11, body: returned(definition) },
        ].sort((a, b) => a.weight - b.weight || (a.id < b.id ? -1 : 1)),
      }
    })
  }
}

const returned = ({ targetOutputMin: least, targetOutputMax: most }: Definition): string =>
  `You work on one task for another agent, alone: nobody answers you in between. Only your last message is returned, so put everything that matters into it: a summary of ${least} to ${most} tokens, more is cut off.`

/** Counts the calls of a conversation, including those that were replaced by a summary. */
export class CallCount {
  readonly #counted = new WeakMap<readonly Message[], Set<string>>()

  /** The number of a call in its conversation, from 1. */
  of(call: string, messages: readonly Message[]): number {
    const counted = this.#counted.get(messages) ?? new Set()
    this.#counted.set(messages, counted)
    for (const message of messages) {
      if (message.role !== 'assistant') continue
      for (const part of message.content)
        if (part.type === 'tool-call') counted.add(part.toolCallId)
    }
    return [...counted].indexOf(call) + 1
  }
}
