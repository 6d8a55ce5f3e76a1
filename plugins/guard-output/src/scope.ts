import type { AgentBundle } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { wordsOf } from './value-match.ts'

/** An entity of which only some rows can be seen, and how they are called. */
interface PartialEntity {
  readonly label: string
  readonly claim: RegExp
}

const ofBundle = new WeakMap<AgentBundle, readonly PartialEntity[]>()

/** Labels of row scopes whose entities a text claims to cover completely. */
export function claimsBeyond(text: string, bundle: AgentBundle): readonly string[] {
  const partial = partialOf(bundle)
  return partial.length === 0
    ? []
    : [...new Set(partial.filter(({ claim }) => claim.test(text)).map(({ label }) => label))]
}

export const isScoped = (bundle: AgentBundle): boolean => partialOf(bundle).length > 0

function partialOf(bundle: AgentBundle): readonly PartialEntity[] {
  const known = ofBundle.get(bundle)
  if (known) return known
  const partial = connectionsOf(bundle).flatMap(({ access }) =>
    access.rowScoping.map(({ entity, label }) => ({ label, claim: claimOf(entity) })),
  )
  ofBundle.set(bundle, partial)
  return partial
}

/**
 * `all deals`, `every open deal`, `the total number of deals`; not `all your deals`, `all of my
 * deals`.
 */
function claimOf(entity: string): RegExp {
  const word = wordsOf(entity).join('[\\s_-]*')
  const one = word.endsWith('y') ? `(?:${word}|${word.slice(0, -1)}ies)` : `${word}(?:e?s)?`
  const whose = '(?!(?:your|my|his|her|their|our own)\\b)'
  return new RegExp(
    `\\b(?:all|every|each|entire|total(?: number)? of|none of)\\s+(?:of\\s+)?(?:the\\s+|these\\s+|our\\s+)?(?:${whose}[\\p{L}\\d-]+\\s+){0,2}${whose}${one}(?![\\p{L}])(?!\\s+(?:of yours|you own|assigned to you|that you))`,
    'iu',
  )
}
