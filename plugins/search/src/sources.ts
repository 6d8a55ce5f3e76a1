import {
  ok,
  type Failure,
  type KnowledgeDocument,
  type Result,
  type StoreDefinition,
  type ToolContext,
} from '@amodal/sdk'
import type { KnowledgeAccess } from '@amodal/plugin-knowledge/tokens'
import type { StoreAccess } from '@amodal/plugin-stores/tokens'
import type { Corpus, Hit } from './corpus.ts'
import type { Embedder } from './embedder.ts'
import type { KnowledgeCorpora } from './knowledge-corpora.ts'
import { isSearchable, searchableOf } from './store-document.ts'
import type { StoreCorpora } from './store-corpora.ts'

/** A passage as it is shown, but for where it is from and how well it fits. */
export interface ShownPassage {
  /** Name of a document of the knowledge, or key of one of a store. */
  readonly name: string
  readonly title?: string
  /** Empty where it stands under none. */
  readonly heading: string
  readonly text: string
  /** A document that the tenant has approved for itself. */
  readonly approved?: boolean
  /** A document of a store whose time is over. */
  readonly stale?: boolean
}

/** Documents that are searched together. */
export interface Source {
  /** `knowledge`, or `store:` and the name of a store. */
  readonly name: string
  readonly corpus: Corpus
  /** Documents that are not indexed, because there are more than the bound. */
  readonly unindexed: number
  /** The passage of a hit; `undefined` where the document has changed or is no longer there. */
  read(hit: Pick<Hit, 'key' | 'part'>): Promise<Result<ShownPassage | undefined, Failure>>
}

/** Who has documents, and their indexes. */
export interface Library {
  readonly knowledge: KnowledgeAccess | undefined
  readonly knowledgeCorpora: KnowledgeCorpora
  readonly stores: StoreAccess | undefined
  readonly storeCorpora: StoreCorpora | undefined
  /** Whether the setting has the documents of a store searched. */
  readonly includes: (store: StoreDefinition) => boolean
  /** Where a model for vectors is configured. */
  readonly embedder: Embedder | undefined
  /** Aborted when the plugin is torn down: vectors are computed for all, not for one call. */
  readonly life: AbortSignal
}

/** The call that searches: what it may read depends on it. */
export type SearchCall = Pick<ToolContext, 'bundle' | 'scope' | 'tenant' | 'signal'>

/** All that a call may read, each opened or the reason why it is not. */
export function sourcesOf(
  library: Library,
  call: SearchCall,
): Promise<readonly Result<Source, Failure>[]> {
  return Promise.all([
    ...ownKnowledge(library, call),
    ...approvedKnowledge(library, call),
    ...searchableStores(library, call).map((store) => storeSource(library, store, call)),
  ]).then((opened) => opened.flatMap((one) => (one === undefined ? [] : [one])))
}

/** The stores that a call may read and the setting includes. */
function searchableStores(
  { stores, includes }: Library,
  { bundle }: SearchCall,
): readonly StoreDefinition[] {
  return (stores?.readableIn(bundle) ?? []).filter(
    (store) => includes(store) && isSearchable(store),
  )
}

type Opening = Promise<Result<Source, Failure> | undefined>

function ownKnowledge(
  { knowledge, knowledgeCorpora }: Library,
  { bundle }: SearchCall,
): readonly Opening[] {
  const documents = knowledge?.readableIn(bundle) ?? []
  return documents.length === 0 ? [] : [knowledgeSource(knowledgeCorpora, documents, false)]
}

function approvedKnowledge(
  { knowledge, knowledgeCorpora }: Library,
  call: SearchCall,
): readonly Opening[] {
  if (!knowledge) return []
  const open = async (): Opening => {
    const approved = await knowledge.approved(call)
    if (!approved.ok) return approved
    return approved.value.length === 0
      ? undefined
      : knowledgeSource(knowledgeCorpora, approved.value, true)
  }
  return [open()]
}

async function knowledgeSource(
  corpora: KnowledgeCorpora,
  documents: readonly KnowledgeDocument[],
  approved: boolean,
): Promise<Result<Source, Failure>> {
  const built = await corpora.of(documents)
  if (!built.ok) return built
  const index = built.value
  return ok({
    name: 'knowledge',
    corpus: index.corpus,
    unindexed: 0,
    read({ key, part }) {
      const found = index.passageAt(key, part)
      return Promise.resolve(
        ok(
          found && {
            name: key,
            title: found.document.title,
            ...found.passage,
            ...(approved && { approved }),
          },
        ),
      )
    },
  })
}

async function storeSource(
  { stores, storeCorpora }: Library,
  store: StoreDefinition,
  { tenant, signal }: SearchCall,
): Opening {
  if (!stores || !storeCorpora) return undefined
  const known = await storeCorpora.of(store, tenant)
  if (!known.ok) return known
  const index = known.value
  return ok({
    name: `store:${store.name}`,
    corpus: index.corpus,
    unindexed: index.unindexed,
    async read({ key, part }) {
      const opened = await stores.open(store, tenant, (backend) => backend.get(store, key, signal))
      if (!opened.ok) return opened
      const read = opened.value
      if (!read.ok) return read
      const document = read.value
      if (!document || !index.isCurrent(document)) {
        storeCorpora.changed(store, tenant)
        return ok(undefined)
      }
      const passage = searchableOf(store, document).passages[part]
      return ok(
        passage && { name: key, ...passage, ...(document.stale && { stale: document.stale }) },
      )
    },
  })
}
