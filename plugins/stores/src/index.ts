import { definePlugin, PromptSections, StoreBackend, ToolAliases, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { deadLetterRoutes } from './dead-letter-routes.ts'
import { Documents } from './documents.ts'
import { StoreConflict, StoreReadOnly } from './errors.ts'
import { grantedTools } from './granted-tools.ts'
import { readableStores, storeRoutes } from './routes.ts'
import { storeSection } from './section.ts'
import { Seeds } from './seed.ts'
import { StoreAccess } from './tokens.ts'
import { aliasesOf, toolsOf } from './tools.ts'

/**
 * Typed document stores: tools for the agent, an API for people, documents through the StoreBackend
 * slot.
 */
export const stores = definePlugin({
  name: 'stores',
  version: '0.1.0',
  requires: { backend: StoreBackend },
  errors: [StoreConflict, StoreReadOnly],
  provides: [Tools, ToolAliases, PromptSections, StoreAccess],
  config: z.object({
    /** Documents that one `query_store` gives at most. */
    maxResults: z.number().int().min(1).max(1_000).default(100),
    /** Documents in one batch at most. */
    maxBatch: z.number().int().min(1).max(1_000).default(100),
    /**
     * Who may write into stores that all tenants share: `nobody`, `everybody`, or a list of roles.
     */
    sharedWrites: z
      .union([z.enum(['nobody', 'everybody']), z.array(z.string().min(1))])
      .default('nobody'),
  }),
  setup({ config, add, hooks, generation, provide }) {
    const documents = new Documents(generation, new Seeds(), config.sharedWrites)
    add(Tools, 'stores', {
      tools: (bundle) => [
        ...toolsOf(bundle, config, documents),
        ...grantedTools(bundle, config, documents),
      ],
    })
    add(ToolAliases, 'stores', (bundle) => aliasesOf(bundle, documents))
    add(PromptSections, 'stores', {
      sections: (bundle, { tools }) => storeSection(bundle, documents, tools),
    })
    const api = storeRoutes(generation, documents)
    provide(StoreAccess, () => ({
      routes: api,
      readableBy: (caller) => readableStores(generation, documents, caller),
      readableIn: (bundle) => (documents.allows('query_store', bundle) ? bundle.stores : []),
      open: (store, tenant, work) => documents.inRequest(store, { tenant }, work),
    }))
    hooks.http.routes.tap((routes) => {
      routes.mount('/api/stores', api, { scope: 'stores' })
      routes.mount('/api/dead-letters', deadLetterRoutes(generation, documents), {
        scope: 'stores',
      })
    })
  },
})

export default stores
