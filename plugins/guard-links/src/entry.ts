import { type AskedQuestion, type Json, type JournalEntry, mapTexts, never } from '@amodal/sdk'
import { filterLinks } from './link-filter.ts'
import type { LinkPolicy } from './tag-rules.ts'

/**
 * Filters the texts of a journal entry that somebody reads. What a tool is asked for, results of
 * tools and messages of people stay unchanged.
 */
export function linkEntry<E extends JournalEntry>(entry: E, policy: LinkPolicy): E {
  const texts = changes(entry, policy)
  return Object.entries(texts).every(([field, value]) => entry[field as keyof E] === value)
    ? entry
    : { ...entry, ...texts }
}

function changes(entry: JournalEntry, policy: LinkPolicy): Partial<Record<string, unknown>> {
  const text = (original: string): string => filterLinks(original, policy)
  switch (entry.kind) {
    case 'model_reply':
      return {
        text: text(entry.text),
        ...(entry.reasoning === undefined ? {} : { reasoning: text(entry.reasoning) }),
      }
    case 'child_closed':
      return { summary: text(entry.summary) }
    case 'input_asked': {
      const question = (one: AskedQuestion): AskedQuestion =>
        text(one.text) === one.text ? one : { ...one, text: text(one.text) }
      return {
        // An approval shows what will be sent, unchanged; other questions are texts for people.
        ...(entry.ask_type === 'approval' ? {} : { context: mapTexts(entry.context, text) }),
        schema: shownTexts(entry.schema, text),
        ...(entry.questions ? { questions: same(entry.questions, question) } : {}),
      }
    }
    case 'tool_intent':
    case 'tool_outcome':
    case 'compacted':
    case 'child_opened':
    case 'run_ended':
    case 'note':
    case 'user_message':
    case 'input_answered':
      return {}
    default:
      return never(entry)
  }
}

/** Of a schema: what a form shows of it. */
const SHOWN: ReadonlySet<string> = new Set(['title', 'description'])

function shownTexts(value: Json, change: (text: string) => string, name = ''): Json {
  if (typeof value === 'string') return SHOWN.has(name) ? change(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return same(value as readonly Json[], (inner) => shownTexts(inner, change, name))
  const fields = Object.entries(value) as [string, Json][]
  const changed = fields.map(([key, inner]) => [key, shownTexts(inner, change, key)] as const)
  return changed.every(([, inner], at) => inner === fields[at]?.[1])
    ? value
    : Object.fromEntries(changed)
}

/** The same list where each of it is. */
function same<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change)
  return changed.every((one, at) => one === list[at]) ? list : changed
}
