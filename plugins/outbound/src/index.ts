import { definePlugin, Outbound } from '@amodal/sdk'
import { z } from 'zod'
import { createOutbound } from './create-outbound.ts'
import { createNetwork } from './network.ts'

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
  }),
  setup({ config, provide, onDispose }) {
    const network = createNetwork()
    onDispose(() => network.close())
    provide(Outbound, () =>
      createOutbound(config, {
        network,
        privateOrigins: new Set(config.privateOrigins),
        ports: config.ports,
      }),
    )
  },
})

export default outbound
