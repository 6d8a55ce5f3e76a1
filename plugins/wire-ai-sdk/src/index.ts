import { Agent, definePlugin, RequestLimiter } from '@amodal/sdk'
import { z } from 'zod'
import { createRoutes, PREFIX } from './app.ts'

const config = z.strictObject({
  /** Characters of one message. */
  maxMessageChars: z.number().int().positive().default(100_000),
  /** Bytes of a whole request: `useChat` sends all messages of its chat with each. */
  maxBodyBytes: z.number().int().positive().default(20_000_000),
})

/**
 * Speaks the UI message stream of the AI SDK, so that `useChat` talks to the agent with nothing in
 * between.
 */
export const wireAiSdk = definePlugin({
  name: 'wire-ai-sdk',
  version: '0.1.0',
  requires: { agent: Agent },
  optional: { limiter: RequestLimiter },
  config,
  setup({ config, deps, hooks }) {
    const routes = createRoutes(deps.agent, deps.limiter, config)
    hooks.http.routes.tap((table) => {
      table.mount(PREFIX, routes, { maxBody: config.maxBodyBytes, scope: 'chat' })
    })
  },
})

export default wireAiSdk
