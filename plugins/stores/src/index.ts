import { definePlugin, PromptSections, StoreBackend, ToolAliases, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { storeRoutes } from './routes.ts'
import { storeSection } from './section.ts'
import { Seeds } from './seed.ts'
import { aliasesOf, toolsOf } from './tools.ts'

/** Typed document stores: tools for the agent, an API for people, documents through the StoreBackend slot. */
export const stores = definePlugin({
  name: 'stores',
  version: '1.0.0',
  requires: { backend: StoreBackend },
  provides: [Tools, ToolAliases, PromptSections],
  config: z.object({
    /** Documents that one `query_store` gives at most. */
    maxResults: z.number().int().min(1).max(1_000).default(100),
    /** Documents in one batch at most. */
    maxBatch: z.number().int().min(1).max(1_000).default(100),
  }),
  setup({ config, add, hooks, generation }) {
    const seeds = new Seeds()
    add(Tools, 'stores', { tools: (bundle) => toolsOf(bundle, config, seeds) })
    add(ToolAliases, 'stores', aliasesOf)
    add(PromptSections, 'stores', { sections: storeSection })
    hooks.http.routes.tap((routes) => routes.mount('/api/stores', storeRoutes(generation, seeds)))
  },
})

export default stores
