import type { Hit } from './corpus.ts'

/** How much the first places of a ranking count more than later ones; 60 is the usual value. */
const SMOOTHING = 60

/**
 * Merges rankings by reciprocal rank fusion: scores of different kinds do not compare, places do.
 * The score becomes the sum of `1 / (60 + place)` over the rankings.
 *
 * Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
 * individual Rank Learning Methods", SIGIR 2009.
 *
 * @param rankings each with the best first
 * @param identityOf the same text for what is the same in several rankings
 */
export function fused<C extends { readonly hit: Hit }>(
  rankings: readonly (readonly C[])[],
  identityOf: (candidate: C) => string,
): readonly C[] {
  const merged = new Map<string, { readonly candidate: C; score: number }>()
  for (const ranking of rankings)
    for (const [place, candidate] of ranking.entries()) {
      const identity = identityOf(candidate)
      const known = merged.get(identity) ?? { candidate, score: 0 }
      known.score += 1 / (SMOOTHING + place + 1)
      merged.set(identity, known)
    }
  return [...merged.values()]
    .sort((a, b) => b.score - a.score)
    .map(({ candidate, score }) => ({ ...candidate, hit: { ...candidate.hit, score } }))
}
