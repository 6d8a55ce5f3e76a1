import { definePlugin, PromptSections, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { fitsEagerly, knowledgeSections } from './section.ts'
import { loadKnowledge } from './load-knowledge.ts'

/** Shows the agent its knowledge: all of it while it is small, else titles with a tool to read a document. */
export const knowledge = definePlugin({
  name: 'knowledge',
  version: '0.1.0',
  config: z.object({
    eagerTokens: z.int().min(0).default(50_000).describe('Tokens of all documents together up to which they stand in the prompt'),
  }),
  setup({ config: { eagerTokens }, add }) {
    add(PromptSections, 'knowledge', { sections: (bundle, tools) => knowledgeSections(bundle, tools, eagerTokens) })
    add(Tools, 'knowledge', { tools: (bundle) => (fitsEagerly(bundle, eagerTokens) ? [] : [loadKnowledge(bundle)]) })
  },
})

export default knowledge
