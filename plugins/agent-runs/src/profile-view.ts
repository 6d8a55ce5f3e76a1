import { matchesWildcard, type PromptDraft, type ToolDefinition, type ToolList } from '@amodal/sdk'
import { memoized, lazily } from '@amodal/sdk/loop'
import type { AgentProfile } from './profile.ts'
import { submitResult } from './submit-result.ts'

/** Tools that every run may use: a run asks people, and no profile has to say so. */
const ALWAYS: ReadonlySet<string> = new Set(['ask_user'])
/** Tools of conversations: nobody looks at a run while it works. */
const FOR_CONVERSATIONS: ReadonlySet<string> = new Set([
  'present',
  'enter_plan_mode',
  'propose_plan',
])

/** Tools that make an artifact. */
const ARTIFACT_TOOLS: ReadonlySet<string> = new Set([
  'artifacts_create',
  'artifacts_update',
  'artifacts_get',
  'artifacts_list',
])

/**
 * Tools and prompt of the agent as a profile has them: the same object for equal input, so that the
 * prompt of a run stays the same, byte for byte.
 */
export class ProfileView {
  readonly #own: () => readonly ToolDefinition[]
  readonly #lists = new WeakMap<ToolList, Map<string, ToolList>>()
  readonly #drafts = new WeakMap<PromptDraft, Map<string, PromptDraft>>()

  /** @param own tools that only runs have; made with the first of them */
  constructor(own: () => readonly ToolDefinition[]) {
    this.#own = lazily(own)
  }

  tools(list: ToolList, profile: AgentProfile): ToolList {
    return memoized(this.#lists, list, JSON.stringify(profile), () => {
      const names = new Set(list.tools.map(({ name }) => name))
      const own = this.#own().filter(
        ({ name }) => !names.has(name) && (allows(profile, name) || isDue(profile, name)),
      )
      const result = profile.resultSchema ? [submitResult(profile.resultSchema)] : []
      return {
        ...list,
        tools: [
          // hidden ones are for the tools that name them
          ...list.tools.filter(
            ({ name, hidden }) =>
              hidden === true || ALWAYS.has(name) || allows(profile, name, list.aliases),
          ),
          ...own,
          ...result,
        ],
      }
    })
  }

  /** Its instructions in place of the agent's, and what it is to hand in. */
  prompt(draft: PromptDraft, profile: AgentProfile): PromptDraft {
    return memoized(this.#drafts, draft, JSON.stringify(profile), () => {
      const section = { title: '', category: 'system' as const, plugin: 'agent-runs' }
      const { instructions, resultSchema, producesArtifactType: type } = profile
      const body = instructions ?? ''
      const task = [
        'You work on one task by yourself. Nobody reads along; a person answers only what you ask with a tool.',
        ...(type === undefined
          ? []
          : [`Write what you make with \`artifacts_create\`, with the type "${type}".`]),
        ...(resultSchema ? ['End by handing in the result with `submit_result`.'] : []),
      ].join('\n')
      const others = draft.sections.filter(
        ({ id, category }) =>
          instructions === undefined ||
          (category !== 'skill' && id !== 'instructions' && id !== 'identity'),
      )
      const own = { ...section, id: 'profile', weight: 10, body }
      return {
        sections: [
          ...others,
          ...(instructions === undefined ? [] : [own]),
          { ...section, id: 'profile-task', weight: 11, body: task },
        ].sort((a, b) => a.weight - b.weight || (a.id < b.id ? -1 : 1)),
      }
    })
  }
}

/** A profile that is there to make an artifact has the tools for it, whatever it names. */
const isDue = ({ producesArtifactType }: AgentProfile, name: string): boolean =>
  producesArtifactType !== undefined && ARTIFACT_TOOLS.has(name)

function allows({ tools }: AgentProfile, name: string, aliases: ToolList['aliases'] = {}): boolean {
  if (!tools) return !FOR_CONVERSATIONS.has(name)
  return tools.some(
    (pattern) => matchesWildcard(pattern, name) || (aliases[pattern] ?? pattern) === name,
  )
}
