import { definePlugin, ok, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'
import { contextOf, RESULT_SCHEMA, toolsInState, type ClientTool } from './client-tool.ts'

/**
 * Tools that a client brings with a message and executes itself. A call suspends the run like a
 * question to a person: it is kept, survives a restart, and goes on with the client's answer.
 *
 * @example
 * use(clientTools, { waitMinutes: 10 })
 */
export const clientTools = definePlugin({
  name: 'client-tools',
  version: '0.1.0',
  config: z.strictObject({
    waitMinutes: z
      .number()
      .min(0)
      .max(525_600)
      .default(60)
      .describe('Minutes that a call waits for its client; then it has failed. 0: for ever.'),
  }),
  setup({ config, hooks }) {
    const { waitMinutes } = config
    hooks.tools.list.tap((list, ctx) => {
      const brought = toolsInState(ctx.messageState)
      if (brought.length === 0) return undefined
      const taken = new Set(list.tools.map(({ name }) => name))
      // An agent's own tool is never replaced: wires refuse such a name before the message is sent.
      const tools = brought
        .filter(({ name }) => !taken.has(name))
        .map((tool) => definitionOf(tool, waitMinutes))
      return { ...list, tools: [...list.tools, ...tools] }
    })
  },
})

/** The tool as the loop runs it: its outcome is what the client answers. */
const definitionOf = (
  { name, description, parameters, parallel = true }: ClientTool,
  waitMinutes: number,
): ToolDefinition => ({
  name,
  description,
  parameters,
  parse: (args) => ok(args),
  // It does nothing here, so that all calls of a step can be given to the client at once.
  readOnly: parallel,
  execute: (args) =>
    Promise.resolve({
      status: 'asks',
      question: {
        type: 'question',
        schema: RESULT_SCHEMA,
        context: contextOf(name, args),
        ...(waitMinutes > 0 && { expiresInMs: waitMinutes * 60_000 }),
      },
    }),
})

export default clientTools
