import {
  err,
  isList,
  isObject,
  ok,
  sha256,
  type Json,
  type JsonObject,
  type KnowledgeDocument,
  type Result,
  type SequencedEntry,
} from '@amodal/sdk'
import { z } from 'zod'

/** What the model gives: words that stand in what it has read. */
export const CitationInput = z.object({
  quote: z
    .string()
    .min(8)
    .max(2_000)
    .describe('Words copied exactly from the result of a tool, a knowledge document or the task'),
  document: z.string().max(200).exactOptional().describe('The knowledge document that has them'),
  tool: z.string().max(100).exactOptional().describe('The tool whose result has them'),
  statement: z.string().max(2_000).exactOptional().describe('The statement that they support'),
  url: z.string().max(2_000).exactOptional().describe('Where they are published'),
})
type CitationInput = z.output<typeof CitationInput>

/** Characters of a text, from `start` to before `end`. */
type Place = {
  /** JSON Pointer to the text in the output; empty where the output is a text. */
  readonly path: string
  readonly start: number
  readonly end: number
}
/** Where a quoted text stands: an entry of the journal, or a knowledge document. */
type Source = Place &
  (
    | {
        readonly kind: 'tool_outcome' | 'user_message'
        readonly entry: number
        readonly call?: string
        readonly tool?: string
      }
    | {
        readonly kind: 'document'
        readonly document: string
        readonly file: string
        /** SHA-256 of the document's text as the run read it. */
        readonly hash: string
      }
  )

/** What the session has read. */
export interface Sources {
  readonly entries: readonly SequencedEntry[]
  readonly documents: readonly KnowledgeDocument[]
}

/**
 * Finds each quote in what the session has read.
 *
 * @returns the citations with their sources; or the message about the first quote without one
 */
export function citationsWithSources(
  citations: readonly CitationInput[],
  sources: Sources,
): Result<readonly JsonObject[], string> {
  const resolved: JsonObject[] = []
  for (const [index, citation] of citations.entries()) {
    const source = sourceOf(citation, sources)
    if (!source)
      return err(
        `citations.${index}.quote: stands in no ${searched(citation)}. Copy the words exactly, or leave the citation out.`,
      )
    resolved.push({ id: index + 1, ...citation, source: { ...source } })
  }
  return ok(resolved)
}

function searched({ tool, document }: CitationInput): string {
  if (document !== undefined) return `knowledge document "${document}"`
  return tool === undefined
    ? 'result of a tool of this session and in no knowledge document'
    : `result of "${tool}"`
}

function sourceOf(citation: CitationInput, { entries, documents }: Sources): Source | undefined {
  const { tool, document } = citation
  const inJournal = document === undefined ? journalSource(citation, entries) : undefined
  return inJournal ?? (tool === undefined ? documentSource(citation, documents) : undefined)
}

function documentSource(
  { quote, document }: CitationInput,
  documents: readonly KnowledgeDocument[],
): Source | undefined {
  for (const { name, file, body } of documents) {
    if (document !== undefined && document !== name) continue
    const place = placeIn(body, quote)
    if (place) return { kind: 'document', document: name, file, hash: sha256(body), ...place }
  }
  return undefined
}

/** The newest entry is the one that the model has just read. */
function journalSource(
  { quote, tool }: CitationInput,
  entries: readonly SequencedEntry[],
): Source | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.kind === 'tool_outcome' && entry.status === 'success') {
      if (entry.private || (tool !== undefined && entry.name !== tool)) continue
      const place = placeIn(entry.output, quote)
      if (place)
        return {
          entry: entry.seq,
          kind: entry.kind,
          call: entry.call,
          tool: entry.name,
          ...place,
        }
    } else if (entry.kind === 'user_message' && tool === undefined) {
      const place = placeIn(entry.text, quote)
      if (place) return { entry: entry.seq, kind: entry.kind, ...place }
    }
  }
  return undefined
}

function placeIn(value: Json, quote: string, path = ''): Place | undefined {
  if (typeof value === 'string') {
    const start = value.indexOf(quote)
    return start === -1 ? undefined : { path, start, end: start + quote.length }
  }
  const inner = isList(value) || isObject(value) ? Object.entries(value) : []
  for (const [name, one] of inner) {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
    const place = one === undefined ? undefined : placeIn(one, quote, `${path}/${step}`)
    if (place) return place
  }
  return undefined
}
