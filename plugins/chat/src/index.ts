import { Agent, Commands, definePlugin, RequestLimiter } from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'
import { ResponseFormats } from '@amodal/plugin-structured-output/tokens'
import { z } from 'zod'
import { createRoutes, PREFIXES } from './app.ts'
import { queryCommand } from './terminal/query-command.ts'
import { runsCommand } from './terminal/runs-command.ts'
import { ChatTurns } from './tokens.ts'

const config = z.strictObject({
  /** Characters of one message. */
  maxMessageChars: z.number().int().positive().default(100_000),
  /** Bytes of a request to send a message, files included. */
  maxBodyBytes: z.number().int().positive().default(10_000_000),
})

/** Conversations with the agent over HTTP: messages, resumable streams, sessions, answers. */
export const chat = definePlugin({
  name: 'chat',
  version: '0.1.0',
  requires: { agent: Agent },
  optional: { limiter: RequestLimiter, formats: ResponseFormats },
  provides: [ChatTurns],
  config,
  setup({ add, config, deps, generation, hooks, provide }) {
    add(Commands, 'test-query', queryCommand)
    add(Commands, 'ops runs', runsCommand)
    const { routes, turns } = createRoutes(deps, config, (code) => statusOf(code, generation()))
    provide(ChatTurns, () => ({
      send: (context, request, state, kind) => turns.streamOrSync(context, request, state, kind),
    }))
    hooks.http.routes.tap((table) => {
      for (const [prefix, scope] of Object.entries(PREFIXES))
        table.mount(prefix, routes, { maxBody: config.maxBodyBytes, scope })
    })
  },
})

export default chat
