import { definePlugin, Outbound } from '@amodal/sdk'
import { z } from 'zod'
import { createOutbound } from './exchange.ts'
import { createNetwork } from './network.ts'

const origin = z.url({ protocol: /^https?$/ }).transform((text) => new URL(text).origin)

/**
 * The one way out: every call of a tool, a connection or a model leaves through here.
 *
 * @example
 * const answer = await ctx.outbound.request({ url: 'https://api.example.com/deals', method: 'GET' })
 * if (!answer.ok)
 *   return { status: 'error', message: answer.error.message, code: answer.error.code }
 */
export const outbound = definePlugin({
  name: 'outbound',
  version: '0.1.0',
  provides: [Outbound],
  config: z.strictObject({
    timeoutMs: z
      .int()
      .min(1)
      .max(600_000)
      .default(30_000)
      .describe('ms for a whole exchange that names no time of its own'),
    maxBytes: z
      .int()
      .min(1)
      .default(10_000_000)
      .describe('bytes kept of an answer whose request names no size of its own'),
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
      .describe('ports of public addresses that may be called; any, where it is left out'),
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
