import {
  err,
  failure,
  messageOf,
  ok,
  timeLimit,
  type Failure,
  type KnowledgeDocument,
  type Result,
} from '@amodal/sdk'
import type { Corpus } from './corpus.ts'
import { passagesOf, type Passage } from './passages.ts'

/** ms for the index of one list of documents. */
const BUILD_MS = 60_000

/** Knowledge documents with their index. */
export interface KnowledgeCorpus {
  readonly corpus: Corpus
  /** `undefined` where there is no such passage. */
  passageAt(
    name: string,
    part: number,
  ): { readonly document: KnowledgeDocument; readonly passage: Passage } | undefined
}

type Documents = readonly KnowledgeDocument[]

/**
 * The index of each list of documents. A list is immutable: an edit makes a new bundle with a new
 * list, and the index of the previous one is collected together with it.
 */
export class KnowledgeCorpora {
  readonly #built = new WeakMap<Documents, Promise<Result<KnowledgeCorpus, Failure>>>()
  readonly #newCorpus: () => Corpus

  constructor(newCorpus: () => Corpus) {
    this.#newCorpus = newCorpus
  }

  /** The index of these documents, which is built by the first caller. */
  of(documents: Documents): Promise<Result<KnowledgeCorpus, Failure>> {
    const known = this.#built.get(documents)
    if (known) return known
    const building = build(documents, this.#newCorpus())
    this.#built.set(documents, building)
    return building
  }
}

async function build(
  documents: Documents,
  corpus: Corpus,
): Promise<Result<KnowledgeCorpus, Failure>> {
  const byName = new Map(
    documents.map((document) => [document.name, { document, passages: passagesOf(document.body) }]),
  )
  try {
    await corpus.addAll(
      [...byName].map(([key, { document, passages }]) => ({
        key,
        title: [document.title, document.name, ...(document.tags ?? [])].join(' '),
        passages,
      })),
      timeLimit(BUILD_MS, 'indexing the knowledge'),
    )
  } catch (cause) {
    return err(failure('TIMEOUT', `the knowledge is not indexed: ${messageOf(cause)}`))
  }
  return ok({
    corpus,
    passageAt(name, part) {
      const known = byName.get(name)
      const passage = known?.passages[part]
      return known && passage && { document: known.document, passage }
    },
  })
}
