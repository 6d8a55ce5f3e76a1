import {
  defineTool,
  err,
  wrapUntrusted,
  ok,
  type Action,
  type Failure,
  type OutboundRequest,
  type Result,
  type Secrets,
  type ToolDefinition,
} from '@amodal/sdk'
import { z } from 'zod'
import { resultsIn, type Found, type Searched } from './search-results.ts'
import type { SearchSettings } from './settings.ts'

const MOST_RESULTS = 10
const MAX_BYTES = 2_000_000
/** The model for Google search, independent of the agent's own model. */
const GEMINI = 'gemini-2.5-flash'
const HOSTS: Readonly<Record<SearchSettings['provider'], string>> = {
  google: 'https://generativelanguage.googleapis.com',
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
  searxng: '',
}

/** The tool that searches the web with the provider in the agent's manifest. */
export function webSearch(
  settings: SearchSettings,
  secrets: Secrets,
  timeoutMs: number,
): ToolDefinition {
  const base = (settings.baseUrl ?? HOSTS[settings.provider]).replace(/\/+$/, '')
  const tool = defineTool({
    name: 'web_search',
    description:
      'Searches the web. Ask for what you want to find, with names, dates and error messages; read a result with `fetch_url`.',
    readOnly: true,
    timeoutMs: timeoutMs + 5_000,
    runningLabel: 'Searching the web',
    completedLabel: 'Searched the web',
    input: z.object({
      query: z.string().min(1).max(400).describe('What to search for'),
      limit: z
        .int()
        .min(1)
        .max(MOST_RESULTS)
        .optional()
        .describe('Results to give at most; 5 where it is left out'),
      max_results: z.int().min(1).max(MOST_RESULTS).optional().describe('The same as `limit`'),
    }),
    async execute({ query, limit, max_results: most }, { outbound }) {
      const request = requestOf(settings, base, query, limit ?? most ?? 5, secrets)
      if (!request.ok)
        return { status: 'error', code: request.error.code, message: request.error.message }
      const answer = await outbound.request({
        ...request.value,
        timeoutMs,
        maxBytes: MAX_BYTES,
        privateOrigin: base,
      })
      if (!answer.ok)
        return { status: 'error', code: answer.error.code, message: answer.error.message }
      const { status } = answer.value
      if (status >= 300)
        return {
          status: 'error',
          code: 'TOOL_FAILED',
          message: `the search with ${settings.provider} failed: ${whyNot(status)}`,
        }
      const searched = resultsIn(settings.provider, answer.value.text())
      if (!searched)
        return {
          status: 'error',
          code: 'TOOL_FAILED',
          message: `what ${settings.provider} answered is no list of results`,
        }
      const said = textOf(searched, limit ?? most ?? 5)
      return {
        status: 'success',
        output: said === '' ? 'Nothing was found.' : wrapUntrusted(said, settings.provider),
      }
    },
  })
  return { ...tool, action: ({ query }) => searchOf(base, typeof query === 'string' ? query : '') }
}

/** The action of a call: a query to the search provider. */
function searchOf(base: string, query: string): Result<Action, string> {
  return ok({
    connection: 'web',
    protocol: 'web',
    method: 'GET',
    path: base,
    query: { q: [query] },
    headers: {},
    effect: 'read',
  })
}

function requestOf(
  { provider, apiKey, model = GEMINI }: SearchSettings,
  base: string,
  query: string,
  limit: number,
  secrets: Secrets,
): Result<Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>, Failure> {
  const key =
    apiKey === undefined ? ok('') : secrets.resolve(apiKey, '`webTools.apiKey` of amodal.json')
  if (!key.ok) return err(key.error)
  const accept = { accept: 'application/json' }
  switch (provider) {
    case 'google':
      return ok({
        url: `${base}/v1beta/models/${model}:generateContent`,
        method: 'POST',
        headers: { ...accept, 'content-type': 'application/json', 'x-goog-api-key': key.value },
        body: JSON.stringify({
          contents: [{ role: 'user', parts: [{ text: query }] }],
          tools: [{ google_search: {} }],
        }),
      })
    case 'brave':
      return ok({
        url: `${base}/res/v1/web/search?${String(new URLSearchParams({ q: query, count: String(limit) }))}`,
        method: 'GET',
        headers: { ...accept, 'x-subscription-token': key.value },
      })
    case 'tavily':
      return ok({
        url: `${base}/search`,
        method: 'POST',
        headers: {
          ...accept,
          'content-type': 'application/json',
          authorization: `Bearer ${key.value}`,
        },
        body: JSON.stringify({ query, max_results: limit }),
      })
    case 'searxng':
      return ok({
        url: `${base}/search?${String(new URLSearchParams({ q: query, format: 'json' }))}`,
        method: 'GET',
        headers: { ...accept, ...(key.value !== '' && { authorization: `Bearer ${key.value}` }) },
      })
  }
}

function whyNot(status: number): string {
  if (status === 400 || status === 401 || status === 403)
    return `it refused the request (${status}). Do not try again; the key of \`webTools\` has to be checked`
  if (status === 429) return 'its limit is reached (429). Do not try again in this turn'
  return status >= 500
    ? `it is in trouble (${status}). Try once more at most`
    : `it answered ${status}`
}

/** The answer, where the provider gives one, above the pages that it rests on. */
const textOf = ({ answer, found }: Searched, most: number): string =>
  [answer, listOf(found.slice(0, most))].filter((part) => part !== '').join('\n\nSources:\n')

const listOf = (found: readonly Found[]): string =>
  found
    .map(
      ({ title, url, text }, at) =>
        `${at + 1}. ${title}\n   ${url}${text === '' ? '' : `\n   ${text}`}`,
    )
    .join('\n')
