import { type AgentBundle, isObject, type Json } from '@amodal/sdk'
import { z } from 'zod'

/** `webTools` of amodal.json: who searches the web for the agent. */
export const SearchSettings = z
  .object({
    provider: z.enum(['google', 'brave', 'tavily', 'searxng']),
    /** `env:NAME`; SearXNG has none. */
    apiKey: z.string().min(1).exactOptional(),
    /** Of a server that speaks the provider's language; SearXNG has no other. */
    baseUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
    /** Of Google: the model that searches. */
    model: z
      .string()
      .regex(/^[\w.-]+$/, 'is no name of a model')
      .exactOptional(),
  })
  .check(({ value, issues }) => {
    if (value.provider === 'searxng' && value.baseUrl === undefined)
      issues.push({
        code: 'custom',
        path: ['baseUrl'],
        message: 'searxng needs the `baseUrl` of its server',
        input: value,
      })
    if (value.provider !== 'searxng' && value.apiKey === undefined)
      issues.push({
        code: 'custom',
        path: ['apiKey'],
        message: `${value.provider} needs an \`apiKey\`, such as "env:SEARCH_KEY"`,
        input: value,
      })
  })
export type SearchSettings = z.output<typeof SearchSettings>

/** `"tools": { "web": false }`: the agent reads no pages. */
export function mayFetch({ manifest: { raw } }: AgentBundle): boolean {
  const { tools } = raw
  return !(isObject(tools) && tools['web'] === false)
}

/**
 * What `webTools` says; `undefined` where it is not there, an error text where it cannot be used.
 */
export function searchSettings(raw: Json | undefined): SearchSettings | string | undefined {
  if (raw === undefined) return undefined
  const read = SearchSettings.safeParse(raw)
  return read.success
    ? read.data
    : read.error.issues
        .map(
          ({ path, message }) => `${path.length === 0 ? '' : `\`${path.join('.')}\` `}${message}`,
        )
        .join('; ')
}
