import {
  type AgentEvent,
  type AskedQuestion,
  type Json,
  type JournalEntry,
  type JsonObject,
  never,
  trySync,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { eventsOf } from '@amodal/sdk/loop'
import { cleanText, cleanValue } from './clean.ts'
import { mapLeaves } from './leaves.ts'
import type { Reader, Review } from './review.ts'

/**
 * Redacts a journal entry before it is stored: outgoing texts and arguments of tools. Results of
 * tools stay as the model needs them, and messages of people stay unchanged.
 */
export function journalEntry<E extends JournalEntry>(entry: E, review: Review, reader: Reader): E {
  const texts = changes(entry, review, reader)
  return Object.entries(texts).every(([field, value]) => entry[field as keyof E] === value)
    ? entry
    : { ...entry, ...texts }
}

/** The same for a reader outside of the run: results of tools are redacted as well. */
export function shownEntry<E extends JournalEntry>(entry: E, review: Review, reader: Reader): E {
  const stored = journalEntry(entry, review, reader)
  if (stored.kind !== 'tool_outcome') return stored
  const output = cleanValue(stored.output, review, reader)
  const content = stored.content?.map((part) =>
    part.type === 'text' ? { ...part, text: cleanText(part.text, review, reader) } : part,
  )
  return content ? { ...stored, output, content } : { ...stored, output }
}

/** The fields that change, and only texts: ids, kinds, hashes and counts have to stay. */
function changes(
  entry: JournalEntry,
  review: Review,
  reader: Reader,
): Partial<Record<string, unknown>> {
  const text = (original: string): string => cleanText(original, review, reader)
  const value = <T extends Json>(original: T): T => cleanValue(original, review, reader)
  switch (entry.kind) {
    case 'model_reply':
      return {
        text: text(entry.text),
        calls: same(entry.calls, (call) => {
          const input = argumentsOf(call.input, value)
          return input === call.input ? call : { ...call, input }
        }),
        ...(entry.reasoning === undefined ? {} : { reasoning: text(entry.reasoning) }),
      }
    case 'tool_intent':
      return { args: value(entry.args) }
    case 'tool_outcome': {
      // Events are plain data, and stay of their shape.
      const event = (one: AgentEvent): AgentEvent =>
        value(one as unknown as JsonObject) as unknown as AgentEvent
      return entry.events ? { events: same(eventsOf(entry), event) } : {}
    }
    case 'input_asked': {
      const question = (one: AskedQuestion): AskedQuestion =>
        text(one.text) === one.text ? one : { ...one, text: text(one.text) }
      return {
        context: value(entry.context),
        schema: mapLeaves(entry.schema, (leaf, name) =>
          typeof leaf === 'string' && SHOWN.has(name) ? text(leaf) : leaf,
        ),
        ...(entry.questions ? { questions: same(entry.questions, question) } : {}),
      }
    }
    case 'compacted':
    case 'child_closed':
      return { summary: text(entry.summary) }
    case 'child_opened':
      return { prompt: text(entry.prompt) }
    case 'run_ended': {
      const message = entry.error && text(entry.error.message)
      return message === entry.error?.message ? {} : { error: { ...entry.error, message } }
    }
    case 'note':
      return {
        text: text(entry.text),
        ...(entry.data === undefined ? {} : { data: value(entry.data) }),
      }
    case 'user_message':
    case 'input_answered':
      return {}
    default:
      return never(entry)
  }
}

/** Of a schema: what a form shows of it. */
const SHOWN: ReadonlySet<string> = new Set(['title', 'description'])

/** The same list where each of it is. */
function same<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change)
  return changed.every((one, at) => one === list[at]) ? list : changed
}

function argumentsOf(input: string, value: (original: Json) => Json): string {
  const parsed = trySync(
    () => parseExact(input) as Json,
    () => undefined,
  )
  if (!parsed.ok) return input
  const clean = value(parsed.value)
  return clean === parsed.value ? input : JSON.stringify(clean)
}
