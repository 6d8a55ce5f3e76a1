import { atMost, timeLimit, type Failure } from '@amodal/sdk'
import type { Hit } from './corpus.ts'
import { fused } from './fused.ts'
import { readQuery } from './query.ts'
import {
  sourcesOf,
  type Library,
  type SearchCall,
  type ShownPassage,
  type Source,
} from './sources.ts'

/** Passages of one source that may be among the results. */
const CANDIDATES = 60
/** ms that a search waits for vectors of passages that are new; the others take their turn. */
const FILL_MS = 5_000
/** ms for the vector of a query. */
const QUERY_MS = 5_000
/** Passages of one document among the results. */
const PER_DOCUMENT = 2

/** A passage that was found. */
export interface FoundPassage extends ShownPassage {
  readonly source: string
  readonly score: number
}

/** What a search comes to. */
export interface SearchOutcome {
  /** The best first. */
  readonly found: readonly FoundPassage[]
  /** Why a source was not searched. */
  readonly failures: readonly Failure[]
  /** Sources of which not all documents are indexed. */
  readonly partial: readonly Pick<Source, 'name' | 'unindexed'>[]
}

interface Candidate {
  readonly source: Source
  readonly hit: Hit
}

/**
 * Finds the passages that answer a query best, among what the call may read.
 *
 * @param limit passages at most
 */
export async function search(
  library: Library,
  query: string,
  limit: number,
  call: SearchCall,
): Promise<SearchOutcome> {
  const first = await attempt(library, query, limit, call)
  // A document has changed since it was indexed; the index is read anew, once.
  return first.isOutdated ? attempt(library, query, limit, call) : first
}

async function attempt(
  library: Library,
  query: string,
  limit: number,
  call: SearchCall,
): Promise<SearchOutcome & { readonly isOutdated: boolean }> {
  const opened = await sourcesOf(library, call)
  const sources = opened.flatMap((one) => (one.ok ? [one.value] : []))
  const byWords = ranked(sources, query)
  const byMeaning = await nearest(library, sources, query, call)
  const candidates =
    byMeaning.length === 0
      ? byWords
      : fused([byWords, byMeaning], ({ source, hit }) =>
          JSON.stringify([sources.indexOf(source), hit.key, hit.part]),
        )
  const read = await readBest(candidates, limit)
  return {
    ...read,
    failures: [...opened.flatMap((one) => (one.ok ? [] : [one.error])), ...read.failures],
    partial: sources.filter(({ unindexed }) => unindexed > 0),
  }
}

/** Passages of all sources that have words of the query, the best first. */
function ranked(sources: readonly Source[], query: string): readonly Candidate[] {
  const queryFor = readQuery(
    query,
    sources.map(({ corpus }) => corpus),
  )
  return sources
    .flatMap((source) =>
      source.corpus.search(queryFor(source.corpus), CANDIDATES).map((hit) => ({ source, hit })),
    )
    .sort((a, b) => b.hit.score - a.hit.score)
}

/** Passages of all sources that are near to the query; none where there are no vectors. */
async function nearest(
  { embedder, life }: Library,
  sources: readonly Source[],
  query: string,
  { signal }: SearchCall,
): Promise<readonly Candidate[]> {
  if (!embedder) return []
  const [vectors] = await Promise.all([
    embedder.vectorsOf([query], timeLimit(QUERY_MS, 'computing the vector of a query', signal)),
    atMost(FILL_MS, Promise.all(sources.flatMap(({ corpus }) => corpus.vectors?.fill(life) ?? []))),
  ])
  const vector = vectors?.[0]
  if (!vector) return []
  return sources
    .flatMap((source) => source.corpus.nearest(vector, CANDIDATES).map((hit) => ({ source, hit })))
    .sort((a, b) => b.hit.score - a.hit.score)
    .slice(0, CANDIDATES)
}

/** Reads candidates until there are enough results. */
async function readBest(
  candidates: readonly Candidate[],
  limit: number,
): Promise<Pick<SearchOutcome, 'found' | 'failures'> & { readonly isOutdated: boolean }> {
  const found: FoundPassage[] = []
  const failed = new Map<Source, Failure>()
  const counts = new Map<Source, Map<string, number>>()
  let isOutdated = false
  for (const { source, hit } of candidates) {
    if (found.length >= limit) break
    const perDocument = counts.get(source) ?? new Map<string, number>()
    counts.set(source, perDocument)
    const count = perDocument.get(hit.key) ?? 0
    if (count >= PER_DOCUMENT || failed.has(source)) continue
    const passage = await source.read(hit)
    if (!passage.ok) failed.set(source, passage.error)
    else if (passage.value) {
      perDocument.set(hit.key, count + 1)
      found.push({ ...passage.value, source: source.name, score: hit.score })
    } else isOutdated = true
  }
  return { found, failures: [...failed.values()], isOutdated }
}
