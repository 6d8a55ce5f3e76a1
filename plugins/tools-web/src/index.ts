import { Clock, definePlugin, Outbound, Secrets, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { fetchUrl } from './fetch-url.ts'
import { HostLimit } from './host-limit.ts'
import { mayFetch, searchSettings } from './settings.ts'
import { webSearch } from './web-search.ts'

/**
 * Reads web pages (`fetch_url`), and searches the web (`web_search`) if the agent's manifest names
 * a provider.
 */
export const toolsWeb = definePlugin({
  name: 'tools-web',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { outbound: Outbound, secrets: Secrets, clock: Clock },
  config: z.strictObject({
    timeoutMs: z
      .int()
      .min(100)
      .max(120_000)
      .default(10_000)
      .describe('ms for one page or one search'),
    maxBytes: z.int().min(1_000).default(1_000_000).describe('bytes of one page'),
    maxChars: z
      .int()
      .min(100)
      .max(100_000)
      .default(20_000)
      .describe('characters that a page gives where a call names no number of its own'),
    perHost: z.int().min(1).default(10).describe('pages of one host in a minute'),
  }),
  setup({ config, deps, add, hooks }) {
    const limit = new HostLimit(deps.clock, config.perHost, 60_000)
    add(Tools, 'tools-web', {
      tools(bundle) {
        const settings = searchSettings(bundle.manifest.raw['webTools'])
        return [
          ...(mayFetch(bundle) ? [fetchUrl(limit, config)] : []),
          ...(typeof settings === 'object'
            ? [webSearch(settings, deps.secrets, config.timeoutMs)]
            : []),
        ]
      },
    })
    hooks.bundle.check.tap((bundle, issues) => {
      const settings = searchSettings(bundle.manifest.raw['webTools'])
      if (typeof settings !== 'string') return
      issues.push({
        severity: 'warning',
        code: 'BAD_REPO',
        file: 'amodal.json',
        message: `\`webTools\`: ${settings}; there is no web_search`,
        fix: 'name `google`, `brave` or `tavily` with an `apiKey`, or `searxng` with a `baseUrl`',
      })
    })
  },
})

export default toolsWeb
