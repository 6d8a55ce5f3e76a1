import type { PromptDraft } from '../ports/prompt.ts'

/**
 * Puts the name of the plugin whose tap it was on each section that it has added, and on each that
 * it has changed: a tap cannot speak for another plugin, nor leave out who it is. The same draft,
 * where it says that already.
 */
export function attributed(after: PromptDraft, plugin: string, before: PromptDraft): PromptDraft {
  const known = new Map(before.sections.map((section) => [section.id, section]))
  const sections = after.sections.map((section) => {
    const old = known.get(section.id)
    if (old === section) return section
    const owner = old?.plugin ?? plugin
    const isChanged =
      old !== undefined && (old.title !== section.title || old.body !== section.body)
    const changedBy = isChanged
      ? [...new Set([...(old.changedBy ?? []), plugin])]
      : (old?.changedBy ?? [])
    if (section.plugin === owner && (section.changedBy ?? []).join() === changedBy.join())
      return section
    return { ...section, plugin: owner, changedBy }
  })
  return sections.every((section, index) => section === after.sections[index])
    ? after
    : { ...after, sections }
}
