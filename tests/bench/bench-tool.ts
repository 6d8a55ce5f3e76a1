import { definePlugin, defineTool, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { benchTool } from './vocabulary.ts'

const lookup = defineTool({
  name: benchTool.name,
  description: benchTool.description,
  readOnly: true,
  input: z.object({ key: z.string() }),
  execute: async () => ({ status: 'success', output: benchTool.result }),
})

/** Gives the agent the tool that the floors have too. */
export const benchToolPlugin = definePlugin({
  name: 'bench-tool',
  version: '0.0.0',
  provides: [Tools],
  setup({ add }) {
    add(Tools, 'bench', { tools: () => [lookup] })
  },
})

export default benchToolPlugin
