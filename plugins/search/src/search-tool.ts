import {
  defineTool,
  type JsonObject,
  type Logger,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import { search, type FoundPassage, type SearchOutcome } from './search.ts'
import type { Library } from './sources.ts'
import { wordsOf } from './words.ts'

export const SEARCH_KNOWLEDGE = 'search_knowledge'

/** Passages that a call may ask for. */
const MOST = 20
/** Characters of a query. */
const LONGEST_QUERY = 500

/** The tool that finds passages of the knowledge and of stores. */
export function searchTool(library: Library, limit: number, log: Logger): ToolDefinition {
  return defineTool({
    name: SEARCH_KNOWLEDGE,
    description:
      'Finds passages of the knowledge documents and of the documents in stores that are about something, the best first. Use words that would be in the text. A result names its document: read all of it with load_knowledge, or with query_store and its key.',
    readOnly: true,
    runningLabel: 'Searching',
    completedLabel: 'Searched',
    input: z.object({
      query: z.string().max(LONGEST_QUERY).describe('What to look for, in a few words'),
      limit: z.int().min(1).max(MOST).optional().describe(`How many passages; default ${limit}`),
    }),
    execute: async ({ query, limit: most = limit }, ctx): Promise<ToolResult> => {
      if (wordsOf(query).length === 0)
        return {
          status: 'error',
          code: 'TOOL_ARGUMENTS',
          message: 'query: has no word to look for; use words that would be in the text',
        }
      const outcome = await search(library, query, most, ctx)
      for (const { code, message } of outcome.failures)
        log.warn('search.source_failed', { code, message })
      return { status: 'success', output: outputOf(outcome) }
    },
  })
}

function outputOf({ found, failures, partial }: SearchOutcome): JsonObject {
  const notes = [
    ...(found.length === 0 ? ['Nothing has these words. Try other words for the same.'] : []),
    ...failures.map(({ message }) => `Not everything was searched: ${message}`),
    ...partial.map(
      ({ name, unindexed }) =>
        `${unindexed} documents of ${name} are not indexed: use query_store.`,
    ),
  ]
  return { results: found.map(resultOf), ...(notes.length > 0 && { notes }) }
}

function resultOf({
  source,
  name,
  title,
  heading,
  text,
  score,
  approved,
  stale,
}: FoundPassage): JsonObject {
  return {
    source,
    ...(source === 'knowledge' ? { document: name } : { key: name }),
    ...(title !== undefined && { title }),
    ...(heading !== '' && { heading }),
    passage: text,
    score: Math.round(score * 10_000) / 10_000,
    ...(approved === true && { approved }),
    ...(stale === true && { stale }),
  }
}
