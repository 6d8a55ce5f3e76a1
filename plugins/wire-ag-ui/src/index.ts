import { Agent, definePlugin, RequestLimiter } from '@amodal/sdk'
import { z } from 'zod'
import { createRoutes, PREFIX } from './app.ts'

const config = z.strictObject({
  /** Characters of one message. */
  maxMessageChars: z.number().int().positive().default(100_000),
  /** Bytes of a whole request: a client sends all messages of its thread with each. */
  maxBodyBytes: z.number().int().positive().default(20_000_000),
})

/** Speaks AG-UI 1.0, so that its `HttpAgent`, and what is built on it, talks to the agent. */
export const wireAgUi = definePlugin({
  name: 'wire-ag-ui',
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

export default wireAgUi
