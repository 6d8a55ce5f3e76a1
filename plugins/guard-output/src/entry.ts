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
import { cleanText, cleanValue, readableText } from './output-cleaning.ts'
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
  const kept = journalEntry(entry, review, reader)
  if (kept.kind !== 'tool_outcome') return kept
  return {
    ...kept,
    output: cleanValue(kept.output, review, reader),
    ...(kept.content
      ? {
          content: kept.content.map((part) =>
            part.type === 'text' ? { ...part, text: cleanText(part.text, review, reader) } : part,
          ),
        }
      : {}),
  }
}

/** Only the fields that change, and only texts: ids, kinds, hashes and counts have to stay. */
function changes(
  entry: JournalEntry,
  review: Review,
  reader: Reader,
): Partial<Record<string, unknown>> {
  // Links are judged where somebody reads them, and not in what a tool is asked for.
  const text = (said: string): string => cleanText(said, review, reader)
  const readable = (said: string): string => readableText(said, review, reader)
  const value = <T extends Json>(said: T): T => cleanValue(said, review, withoutBundle(reader))
  switch (entry.kind) {
    case 'model_reply':
      return {
        text: readable(entry.text),
        calls: same(entry.calls, (call) => {
          const input = argumentsOf(call.input, value)
          return input === call.input ? call : { ...call, input }
        }),
        ...(entry.reasoning === undefined ? {} : { reasoning: readable(entry.reasoning) }),
      }
    case 'tool_intent':
      return { args: value(entry.args) }
    case 'tool_outcome': {
      // Events are plain data, and stay of their shape.
      const event = (one: AgentEvent): AgentEvent =>
        cleanValue(one as unknown as JsonObject, review, reader) as unknown as AgentEvent
      return entry.events ? { events: same(eventsOf(entry), event) } : {}
    }
    case 'input_asked': {
      const asked = (one: AskedQuestion): AskedQuestion =>
        readable(one.text) === one.text ? one : { ...one, text: readable(one.text) }
      // An approval shows what will be sent, unchanged; other questions are texts for people.
      const context =
        entry.ask_type === 'approval'
          ? value(entry.context)
          : textsOf(value(entry.context), readable)
      return {
        context,
        schema: textsOf(entry.schema, readable, SHOWN),
        ...(entry.questions ? { questions: same(entry.questions, asked) } : {}),
      }
    }
    case 'compacted':
      return { summary: text(entry.summary) }
    case 'child_closed':
      return { summary: readable(entry.summary) }
    case 'child_opened':
      return { prompt: text(entry.prompt) }
    case 'run_ended':
      return entry.error
        ? {
            error:
              text(entry.error.message) === entry.error.message
                ? entry.error
                : { ...entry.error, message: text(entry.error.message) },
          }
        : {}
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

const withoutBundle = ({ redacted, roles, messages, delegated = false }: Reader): Reader => ({
  redacted,
  roles,
  delegated,
  ...(messages && { messages }),
})

/** Of a schema: what a form shows of it. */
const SHOWN: ReadonlySet<string> = new Set(['title', 'description'])

const textsOf = <T extends Json>(
  value: T,
  change: (text: string) => string,
  only?: ReadonlySet<string>,
): T =>
  mapLeaves(value, (leaf, name) =>
    typeof leaf === 'string' && (only?.has(name) ?? true) ? change(leaf) : leaf,
  ) as T // of the same shape

/** The same list where each of it is. */
function same<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change)
  return changed.every((one, at) => one === list[at]) ? list : changed
}

function argumentsOf(input: string, value: (said: Json) => Json): string {
  const read = trySync(
    () => parseExact(input) as Json,
    () => undefined,
  )
  if (!read.ok) return input
  const clean = value(read.value)
  return clean === read.value ? input : JSON.stringify(clean)
}
