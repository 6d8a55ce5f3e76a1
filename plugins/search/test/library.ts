import { ok, tenantId, type AgentBundle, type KnowledgeDocument } from '@amodal/sdk'
import { Corpus } from '../src/corpus.ts'
import { KnowledgeCorpora } from '../src/knowledge-corpora.ts'
import type { Library, SearchCall } from '../src/sources.ts'

/** An agent that has nothing but these documents. */
export const bundleOf = (knowledge: readonly KnowledgeDocument[]): AgentBundle => ({
  hash: String(knowledge.length),
  root: undefined,
  instructions: undefined,
  skills: [],
  knowledge,
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
  manifest: { name: 'labelled', version: '1.0.0', models: {}, limits: {}, raw: {} },
})

/** A call of an agent with these documents. */
export const call = (knowledge: readonly KnowledgeDocument[]): SearchCall => ({
  bundle: bundleOf(knowledge),
  scope: {
    get: () => {
      throw new Error('no service is needed')
    },
    find: () => undefined,
  },
  tenant: tenantId('acme'),
  signal: AbortSignal.timeout(60_000),
})

/** Where these documents are searched by their words, and nothing else. */
export const libraryOf = (knowledge: readonly KnowledgeDocument[]): Library => ({
  knowledge: {
    isListed: () => true,
    readableIn: () => knowledge,
    approved: () => Promise.resolve(ok([])),
  },
  knowledgeCorpora: new KnowledgeCorpora(() => new Corpus()),
  stores: undefined,
  storeCorpora: undefined,
  includes: () => false,
  embedder: undefined,
  life: AbortSignal.timeout(60_000),
})
