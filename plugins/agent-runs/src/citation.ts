import {
  err,
  isList,
  isObject,
  ok,
  type Json,
  type JsonObject,
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
    .describe('Words as they stand in the result of a tool or in the task, copied exactly'),
  tool: z.string().max(100).exactOptional().describe('The tool whose result has them'),
  statement: z.string().max(2_000).exactOptional().describe('The statement that they support'),
  url: z.string().max(2_000).exactOptional().describe('Where they are published'),
})
type CitationInput = z.output<typeof CitationInput>

/** Where a quoted text stands: an entry of the journal, a place in it, and characters there. */
export type Source = {
  readonly entry: number
  readonly kind: 'tool_outcome' | 'user_message'
  readonly call?: string
  readonly tool?: string
  /** JSON Pointer into the output; empty where the output is a text. */
  readonly path: string
  readonly start: number
  readonly end: number
}

/**
 * Looks each quote up in what the session has read.
 *
 * @returns the citations with their sources; or which quote stands nowhere
 */
export function cited(
  citations: readonly CitationInput[],
  entries: readonly SequencedEntry[],
): Result<readonly JsonObject[], string> {
  const found: JsonObject[] = []
  for (const [index, citation] of citations.entries()) {
    const source = sourceOf(citation, entries)
    if (!source)
      return err(
        `citations.${index}.quote: stands in no ${citation.tool === undefined ? 'result of a tool of this session' : `result of "${citation.tool}"`}. Copy the words exactly, or leave the citation out.`,
      )
    found.push({ id: index + 1, ...citation, source: { ...source } })
  }
  return ok(found)
}

/** The latest place is the one that was just read. */
function sourceOf(
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

type Place = Pick<Source, 'path' | 'start' | 'end'>

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
