import {
  PluginError,
  type AgentBundle,
  type PromptCompiler,
  type PromptDraft,
  type PromptSection,
  type ToolList,
} from '@amodal/sdk'
import { coreSections } from './core-sections.ts'

export type Sources = Parameters<PromptCompiler['draft']>[2]
type DraftSection = PromptDraft['sections'][number]

/**
 * The sections of a bundle in the order of the prompt: by weight, then by id. Empty ones are left
 * out. A source that throws or returns something else is named in the error.
 */
export function collectSections(
  bundle: AgentBundle,
  tools: ToolList,
  sources: Sources,
): readonly DraftSection[] {
  const core = coreSections(bundle).map((section): DraftSection => ({
    ...section,
    plugin: 'prompt',
  }))
  const added = [...sources].flatMap(([key, { source, plugin }]) => {
    try {
      return checked(source.sections(bundle, tools)).map((section): DraftSection => ({
        ...section,
        plugin,
      }))
    } catch (cause) {
      throw new PluginError(
        plugin,
        'hook',
        `prompt section ${key}`,
        cause,
        cause instanceof BadSection ? 'BAD_VALUE' : 'PLUGIN_FAILED',
      )
    }
  })
  const all = [...core, ...added]
  refuseTwins(all)
  return all
    .filter(({ body }) => body.trim() !== '')
    .sort((a, b) => a.weight - b.weight || (a.id < b.id ? -1 : 1))
}

class BadSection extends Error {}

/** Checks values at run time, since sources may come from plugins that were not type-checked. */
function checked(sections: readonly PromptSection[]): readonly PromptSection[] {
  if (!isList(sections)) throw new BadSection('returned no list of sections')
  for (const { id, title, body, weight } of sections) {
    if (typeof id !== 'string' || id === '') throw new BadSection('returned a section without `id`')
    if (typeof title !== 'string' || typeof body !== 'string')
      throw new BadSection(`returned the section "${id}" without \`title\` and \`body\` as texts`)
    if (!Number.isFinite(weight))
      throw new BadSection(`returned the section "${id}" without a \`weight\``)
  }
  return sections
}

const isList = (value: unknown): boolean => Array.isArray(value)

function refuseTwins(sections: readonly DraftSection[]): void {
  const owners = new Map<string, string>()
  for (const { id, plugin } of sections) {
    const owner = owners.get(id)
    if (owner !== undefined)
      throw new PluginError(
        plugin,
        'hook',
        `prompt section ${id}`,
        `${owner} has a section of this name already`,
        'BAD_VALUE',
      )
    owners.set(id, plugin)
  }
}
