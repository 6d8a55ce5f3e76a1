import { Agent, Clock, definePlugin, RequestLimiter, systemClock } from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'
import { ResponseFormats } from '@amodal/plugin-structured-output/tokens'
import { z } from 'zod'
import { createRoutes, PREFIXES } from './app.ts'

const config = z.strictObject({
  /** Characters of what is new in one request, and of its instructions. */
  maxMessageChars: z.number().int().positive().default(100_000),
  /** Bytes of a whole request: clients of chat completions send the conversation each time. */
  maxBodyBytes: z.number().int().positive().default(10_000_000),
})

/**
 * Speaks OpenAI's APIs for the same sessions as the own protocol: chat completions, responses,
 * conversations and models. The agent is the one model.
 *
 * @example
 * use(wireOpenai, { maxMessageChars: 20_000 })
 */
export const wireOpenai = definePlugin({
  name: 'wire-openai',
  version: '0.1.0',
  requires: { agent: Agent },
  optional: { limiter: RequestLimiter, clock: Clock, formats: ResponseFormats },
  config,
  setup({ config: limits, deps, generation, hooks }) {
    const { agent, limiter, formats, clock = systemClock } = deps
    const routes = createRoutes({
      agent,
      limiter,
      formats,
      clock,
      limits,
      statusOf: (code) => statusOf(code, generation()),
    })
    hooks.http.routes.tap((table) => {
      for (const prefix of PREFIXES)
        table.mount(prefix, routes, { maxBody: limits.maxBodyBytes, scope: 'chat' })
    })
  },
})

export default wireOpenai
