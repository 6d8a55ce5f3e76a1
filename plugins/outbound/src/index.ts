import { Agent, Checkups, definePlugin, Outbound, Secrets } from '@amodal/sdk'
import { z } from 'zod'
import { trustedCertificates } from './certificates.ts'
import { createOutbound } from './create-outbound.ts'
import { createNetwork } from './network.ts'
import { wayTo, type ReadVariable, type Way } from './proxies.ts'
import { waysCheckup } from './ways-checkup.ts'

const origin = z.url({ protocol: /^https?$/ }).transform((text) => new URL(text).origin)

/**
 * Outbound HTTP: every request of a tool, a connection or a model goes through this plugin.
 *
 * @example
 * const request = { url: 'https://api.example.com/deals', method: 'GET' } as const
 * const response = await ctx.outbound.request(request)
 * if (!response.ok)
 *   return { status: 'error', message: response.error.message, code: response.error.code }
 */
export const outbound = definePlugin({
  name: 'outbound',
  version: '0.1.0',
  reaches: { hosts: ['*'] },
  provides: [Outbound],
  optional: { secrets: Secrets },
  config: z.strictObject({
    timeoutMs: z
      .int()
      .min(1)
      .max(600_000)
      .default(30_000)
      .describe('timeout of a whole exchange, ms, unless the request sets one'),
    maxBytes: z
      .int()
      .min(1)
      .default(10_000_000)
      .describe('size limit of a response in bytes, unless the request sets one'),
    privateOrigins: z
      .array(origin)
      .default([])
      .describe(
        'origins on private networks that every request may go to, such as `http://intranet:8080`',
      ),
    ports: z
      .array(z.int().min(1).max(65_535))
      .min(1)
      .optional()
      .describe('ports allowed on public addresses; all when omitted'),
    proxies: z
      .boolean()
      .default(true)
      .describe('whether `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` count'),
  }),
  setup({ add, config, deps, generation, log, provide, onDispose }) {
    const read: ReadVariable = (name) =>
      config.proxies ? deps.secrets?.get(name) || undefined : undefined
    const way = (url: URL): Way => {
      const found = wayTo(url, read)
      if (found.proxy?.password) deps.secrets?.protect(decodeURIComponent(found.proxy.password))
      return found
    }
    const resolve = (text: string): string | undefined => {
      const resolved = deps.secrets?.resolve(text, 'the address')
      return resolved?.ok ? resolved.value : undefined
    }
    const network = createNetwork({
      certificates: () => trustedCertificates(deps.secrets?.get('NODE_EXTRA_CA_CERTS'), log),
    })
    onDispose(() => network.close())
    provide(Outbound, () =>
      createOutbound(config, {
        network,
        privateOrigins: new Set(config.privateOrigins),
        ports: config.ports,
        proxyFor: (url) => way(url).proxy,
      }),
    )
    add(Checkups, 'outbound', () =>
      Promise.resolve(waysCheckup(generation().scope.get(Agent).bundle(), way, resolve)),
    )
  },
})

export default outbound
