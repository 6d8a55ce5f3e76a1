import {
  defineTool,
  type AgentBundle,
  type ApiEndpoint,
  type Json,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { apiDocumentsOf } from '@amodal/sdk/connections'
import { didYouMean } from '@amodal/sdk/files'
import { z } from 'zod'

export const FIND_ENDPOINTS = 'find_endpoints'

/** The tool that searches API documents; none where there are none. */
export function findEndpointTools(bundle: AgentBundle): readonly ToolDefinition[] {
  const documents = apiDocumentsOf(bundle)
  const names = Object.keys(documents)
  if (names.length === 0) return []
  const hasTypes = Object.values(documents).some(({ types }) => types !== undefined)
  return [
    defineTool({
      name: FIND_ENDPOINTS,
      description:
        'Searches the API document of a connection. Gives the endpoints that fit best, with their parameters and bodies.',
      readOnly: true,
      runningLabel: 'Looking endpoints up',
      completedLabel: 'Looked endpoints up',
      input: z.object({
        connection: z.enum(names).describe('Name of the connection'),
        ...(hasTypes && {
          type: z
            .string()
            .optional()
            .describe(
              'Name of a GraphQL type, such as Deal or [Deal!]!: gives its fields instead of endpoints',
            ),
        }),
        query: z
          .string()
          .default('')
          .describe(
            'What you want to do, in a few words of the API, such as "create invoice"; or METHOD and path',
          ),
        limit: z
          .int()
          .min(1)
          .max(25)
          .optional()
          .describe('Most endpoints to give; 8 where left out'),
      }),
      async execute({ connection, query, limit = 8, ...more }) {
        const { endpoints = [], types = {} } = documents[connection] ?? {}
        const type = 'type' in more && typeof more.type === 'string' ? more.type : undefined
        if (type !== undefined) return typeResult(connection, type, types)
        if (query.trim() === '')
          return {
            status: 'error',
            code: 'TOOL_ARGUMENTS',
            message: 'say in `query` what you look for',
          }
        const found = searchEndpoints(endpoints, query)
        return {
          status: 'success',
          output: {
            found: found.length,
            of: endpoints.length,
            endpoints: found.slice(0, limit).map(shown),
          },
        }
      },
    }),
  ]
}

/** What a type holds, and what the types in it hold that are no objects themselves. */
function typeResult(
  connection: string,
  asked: string,
  types: Readonly<Record<string, string>>,
): ToolResult {
  const name = asked.replaceAll(/[[\]!\s]/g, '')
  const text = Object.hasOwn(types, name) ? types[name] : undefined
  if (text !== undefined) return { status: 'success', output: { type: name, is: text } }
  const near = didYouMean(name, Object.keys(types))
  return {
    status: 'error',
    code: 'NOT_FOUND',
    message: `"${connection}" has no type ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
  }
}

const shown = ({
  method,
  path,
  summary,
  tags,
  parameters,
  body,
  takes,
  deprecated,
}: ApiEndpoint): Json => ({
  endpoint: `${method} ${path}`,
  ...(summary !== '' && { summary }),
  ...(tags.length > 0 && { tags }),
  ...(deprecated === true && { deprecated }),
  ...(parameters.length > 0 && {
    parameters: parameters.map(
      ({ name, in: place, type, required, description }) =>
        `${name}${required === true ? '' : '?'}: ${type} (${place})${description === undefined ? '' : ` – ${description}`}`,
    ),
  }),
  ...(body !== undefined && { body }),
  ...(takes && {
    body_type: takes
      .map(({ type }) => type)
      .slice(0, 5)
      .join(', '),
  }),
})

/**
 * Endpoints that share words with a query, the best first; of equals those that are not deprecated,
 * then in their order.
 */
export function searchEndpoints(
  endpoints: readonly ApiEndpoint[],
  query: string,
): readonly ApiEndpoint[] {
  const wanted = [...new Set(wordsOf(query))]
  const literal = query.trim().toLowerCase()
  return endpoints
    .map((endpoint) => ({ endpoint, score: scoreOf(endpoint, wanted, literal) }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        Number(a.endpoint.deprecated === true) - Number(b.endpoint.deprecated === true),
    )
    .map(({ endpoint }) => endpoint)
}

function scoreOf(
  { method, path, summary, tags, parameters }: ApiEndpoint,
  wanted: readonly string[],
  literal: string,
): number {
  const target = path.toLowerCase()
  if (literal === target || literal === `${method} ${path}`.toLowerCase()) return 1_000
  const fields: readonly (readonly [words: readonly string[], weight: number])[] = [
    [wordsOf(path), 4],
    [wordsOf(summary), 3],
    [tags.flatMap(wordsOf), 2],
    [[method.toLowerCase(), ...(VERBS[method] ?? [])], 2],
    [parameters.flatMap(({ name }) => wordsOf(name)), 1],
  ]
  const scores = wanted.map((word) =>
    Math.max(0, ...fields.map(([words, weight]) => (words.includes(word) ? weight : 0))),
  )
  const hits = scores.filter((score) => score > 0).length
  // Of two that share a word, the one that says less besides is meant.
  return hits === 0
    ? 0
    : scores.reduce((sum, score) => sum + score, 0) +
        hits * 2 -
        Math.min(2, target.split('/').length / 8)
}

/** What people say for a method. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  GET: ['list', 'read', 'show', 'find', 'search', 'fetch'],
  POST: ['create', 'add', 'new', 'make', 'send', 'open'],
  PUT: ['replace', 'set', 'update'],
  PATCH: ['update', 'change', 'edit', 'modify'],
  DELETE: ['delete', 'remove'],
  QUERY: ['list', 'read', 'get'],
  MUTATION: ['create', 'update', 'change', 'delete'],
}

/** `listPullRequests` → `list`, `pull`, `request`: in small letters, without the plural. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
    .map(singular)
}

function singular(word: string): string {
  if (word.length > 3 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
