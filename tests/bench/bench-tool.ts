import { definePlugin, defineTool, Tools, type ToolDefinition } from '@amodal/sdk'
import { z } from '@amodal/sdk/zod'
import { benchTool } from './vocabulary.ts'

const lookup = defineTool({
  name: benchTool.name,
  description: benchTool.description,
  readOnly: true,
  input: z.object({ key: z.string() }),
  execute: async () => ({ status: 'success', output: benchTool.result }),
})

/** A tool as connections bring them by the hundred. */
const another = (n: number): ToolDefinition =>
  defineTool({
    name: `bench_lookup_${n}`,
    description: `Looks up records of kind ${n} by their key, or by what is in them.`,
    readOnly: true,
    input: z.object({
      key: z.string().describe('The key of the record'),
      filter: z.record(z.string(), z.string()).optional(),
      limit: z.number().int().max(100).default(20),
    }),
    execute: async () => ({ status: 'success', output: benchTool.result }),
  })

/** Gives the agent the tool that the floors have too. */
export const benchToolPlugin = definePlugin({
  name: 'bench-tool',
  version: '0.0.0',
  provides: [Tools],
  /** `tools`: so many in all. */
  config: z.object({ tools: z.number().int().positive().default(1) }),
  setup({ add, config }) {
    const tools = [lookup, ...Array.from({ length: config.tools - 1 }, (_, n) => another(n))]
    add(Tools, 'bench', { tools: () => tools })
  },
})

export default benchToolPlugin
