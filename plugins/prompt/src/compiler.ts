import type {
  AgentBundle,
  CompiledPrompt,
  PromptCompiler,
  PromptDraft,
  ToolList,
} from '@amodal/sdk'
import { sectionText, sectionTokens } from './budget.ts'
import { collectSections, type Sources } from './collect.ts'
import { RecentlyUsed } from './recently-used.ts'

/** Context window in tokens of the model that the manifest names. */
export type WindowOf = (bundle: AgentBundle) => number

/**
 * Cached drafts: with a role filter there is one per role, and two bundles are in use around a
 * reload.
 */
const KEPT = 32

/**
 * The prompt compiler. Its output depends on its input alone, not on time, randomness or the order
 * of calls, and the same input returns the same object, so that provider caches hit and nothing is
 * compiled twice.
 */
export function promptCompiler(windowOf: WindowOf): PromptCompiler {
  const drafts = new RecentlyUsed<PromptDraft>(KEPT)
  const rendered = new WeakMap<
    PromptDraft,
    { readonly hash: string; readonly prompt: CompiledPrompt }
  >()
  const identity = identities()

  return {
    draft(bundle, tools, sources) {
      const key = `${bundle.hash} ${identity.ofTools(tools)} ${identity.ofSources(sources)}`
      return drafts.get(key, () =>
        Object.freeze({
          sections: Object.freeze(
            collectSections(bundle, tools, sources).map((section) => Object.freeze(section)),
          ),
        }),
      )
    },

    render(draft, bundle) {
      const known = rendered.get(draft)
      if (known?.hash === bundle.hash) return known.prompt
      const { sections } = draft
      const prompt = Object.freeze({
        sections,
        text: sections.map(sectionText).join('\n\n'),
        tokens: sections.reduce((sum, section) => sum + sectionTokens(section), 0),
        window: windowOf(bundle),
      })
      rendered.set(draft, { hash: bundle.hash, prompt })
      return prompt
    },
  }
}

/** Numbers for objects, so that cache keys do not keep the objects alive. */
function identities(): {
  readonly ofTools: (tools: ToolList) => string
  readonly ofSources: (sources: Sources) => string
} {
  const numbers = new WeakMap<object, number>()
  const lists = new WeakMap<ToolList, string>()
  let last = 0
  const numberOf = (thing: object): number => {
    const known = numbers.get(thing)
    if (known !== undefined) return known
    numbers.set(thing, ++last)
    return last
  }
  return {
    ofTools(list) {
      const known = lists.get(list)
      if (known !== undefined) return known
      const made = list.tools.map(numberOf).join(',')
      lists.set(list, made)
      return made
    },
    ofSources: (sources) =>
      [...sources].map(([key, { source }]) => `${key}:${numberOf(source)}`).join(','),
  }
}
