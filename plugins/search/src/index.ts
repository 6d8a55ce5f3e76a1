import { definePlugin, Tools, type AgentBundle } from '@amodal/sdk'
import { KnowledgeAccess } from '@amodal/plugin-knowledge/tokens'
import { StoreAccess } from '@amodal/plugin-stores/tokens'
import { z } from 'zod'
import { Corpus } from './corpus.ts'
import { Embedder } from './embedder.ts'
import { KnowledgeCorpora } from './knowledge-corpora.ts'
import { searchTool } from './search-tool.ts'
import type { Library } from './sources.ts'
import { StoreCorpora } from './store-corpora.ts'
import { isSearchable } from './store-document.ts'
import { Embeddings } from './tokens.ts'
import { VectorIndex } from './vector-index.ts'

/** Finds passages of knowledge documents and of stores with one tool, `search_knowledge`. */
export const searchPlugin = definePlugin({
  name: 'search',
  version: '0.1.0',
  optional: { knowledge: KnowledgeAccess, stores: StoreAccess, embeddings: Embeddings },
  config: z.strictObject({
    knowledge: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe(
        'Whether an agent with knowledge documents has the tool: `auto` where the prompt lists them by title, `always`, or `never`, which leaves them out of the results, too',
      ),
    stores: z
      .union([z.boolean(), z.array(z.string().min(1))])
      .default(true)
      .describe('Whether stores are searched, or the names of those that are'),
    limit: z.int().min(1).max(20).default(8).describe('Passages of a search that names no limit'),
    maxDocuments: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(200_000)
      .describe(
        'Documents of stores that are indexed in memory; of a larger store the rest is not searched',
      ),
    maxVectors: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(20_000)
      .describe('Passages of one source that are also found by their meaning'),
  }),
  setup({ config, deps, add, hooks, onBoot, log }) {
    const knowledge = config.knowledge === 'never' ? undefined : deps.knowledge
    const embedder = deps.embeddings && new Embedder(deps.embeddings, 2 * config.maxVectors, log)
    const newCorpus = (): Corpus =>
      new Corpus(embedder && new VectorIndex(embedder, config.maxVectors))
    const storeCorpora =
      deps.stores && new StoreCorpora(deps.stores, newCorpus, config.maxDocuments)
    const life = new AbortController()
    const library: Library = {
      knowledge,
      knowledgeCorpora: new KnowledgeCorpora(newCorpus),
      stores: deps.stores,
      storeCorpora,
      includes: ({ name }) =>
        typeof config.stores === 'boolean' ? config.stores : config.stores.includes(name),
      embedder,
      life: life.signal,
    }
    const tool = searchTool(library, config.limit, log)
    const hasDocuments = (bundle: AgentBundle): boolean =>
      (knowledge !== undefined &&
        bundle.knowledge.length > 0 &&
        (config.knowledge === 'always' || knowledge.isListed(bundle))) ||
      (deps.stores !== undefined &&
        bundle.stores.some((store) => library.includes(store) && isSearchable(store)))
    add(Tools, 'search', { tools: (bundle) => (hasDocuments(bundle) ? [tool] : []) })
    hooks.event.runtime.tap((event, { tenant }) => {
      if (event.type === 'store_updated') storeCorpora?.changed({ name: event.storeName }, tenant)
    })
    onBoot(() => () => {
      life.abort()
      storeCorpora?.clear()
    })
  },
})

export default searchPlugin
