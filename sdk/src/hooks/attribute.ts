import type { PromptDraft } from '../ports/prompt-draft.ts'

type Section = PromptDraft['sections'][number]

/**
 * Puts the name of the plugin whose tap it was on each section that it has added, and on each that
 * it has changed: a tap cannot speak for another plugin, nor leave out who it is. The same draft,
 * where it says that already.
 */
export function attributed(after: PromptDraft, plugin: string, before: PromptDraft): PromptDraft {
  const known = new Map(before.sections.map((section) => [section.id, section]))
  const sections = after.sections.map((section) => authored(section, known.get(section.id), plugin))
  return sections.every((section, index) => section === after.sections[index])
    ? after
    : { ...after, sections }
}

function authored(section: Section, old: Section | undefined, plugin: string): Section {
  if (old === section) return section
  const { plugin: owner = plugin, changedBy: before = [] } = old ?? {}
  const changedBy = old && isChanged(section, old) ? [...new Set([...before, plugin])] : before
  return section.plugin === owner && (section.changedBy ?? []).join() === changedBy.join()
    ? section
    : { ...section, plugin: owner, changedBy }
}

const isChanged = (section: Section, old: Section): boolean =>
  old.title !== section.title || old.body !== section.body
