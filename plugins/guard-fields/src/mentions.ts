import type { Field } from './fields.ts'
import { latin, partsOf, wordsOf } from './names.ts'
import { isGeneral, matchOf } from './variants.ts'

/** Words that link a name with its value. */
const LINK =
  /^["'`*\]})\\]{0,4}\s{0,4}(?:[:=|>"'«\t]|->|→|–|—|(?:is|was|are|equals|ist|est|es)\b(?!\s+(?:required|missing|invalid|not|no|too|already|empty|needed|unknown|wrong|malformed|taken|optional|valid|verified)\b))/i
/** Hits of one text that are looked at; a text with more is taken to mean one. */
const MOST_HITS = 1_000

interface Sought {
  readonly words: readonly string[]
  readonly entity: readonly string[]
  readonly general: boolean
}
interface Hit {
  readonly end: number
  readonly general: boolean
}

/** Finds the names of restricted fields in texts. */
export class Mentions {
  readonly #sought: readonly Sought[]
  readonly #names: readonly string[]
  readonly #pattern: RegExp

  constructor(fields: readonly Field[]) {
    this.#sought = fields
      .flatMap(({ restriction: { entity, field } }) => {
        const parts = partsOf(field)
        const all = [parts.flatMap(wordsOf), wordsOf(parts.at(-1) ?? '')]
        return all.map((words) => ({ words, entity: wordsOf(entity), general: isGeneral(words) }))
      })
      .filter(({ words }) => words.length > 0)
    this.#names = [...new Set(this.#sought.map(({ words }) => words.join('')))]
    const patterns = [...new Set(this.#sought.map(({ words }) => patternOf(words)))].sort(
      (one, other) => other.length - one.length,
    )
    this.#pattern = patterns.length === 0 ? /(?!)/g : new RegExp(patterns.join('|'), 'gi')
  }

  /**
   * Whether a text may be the name of a restricted field: one that is not, is told by its letters.
   */
  mayBe(name: string): boolean {
    const letters = latin(name)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
    return this.#names.some((one) => letters.includes(one))
  }

  /** Whether a restricted field is named in a text. */
  in(text: string): boolean {
    return this.#hits(latin(text), 1).length > 0
  }

  /** Whether it is, and something stands in the text that may be its value. */
  withValue(text: string): boolean {
    const plain = latin(text)
    const hits = this.#hits(plain, MOST_HITS)
    if (hits.length === 0) return false
    if (hits.some(({ end }) => LINK.test(plain.slice(end, end + 24)))) return true
    return (
      hits.some(({ general }) => !general) && /[\p{N}@]/u.test(plain.replaceAll(this.#pattern, ' '))
    )
  }

  #hits(text: string, most: number): readonly Hit[] {
    const hits: Hit[] = []
    for (const { index, 0: said } of text.matchAll(this.#pattern)) {
      const [token, end] = tokenAround(text, index, index + said.length)
      const sought = this.#sought.find(
        ({ words, entity }) => matchOf(token, words, entity) !== undefined,
      )
      if (sought) hits.push({ end, general: sought.general })
      if (hits.length >= most) break
    }
    return hits
  }
}

const known = new WeakMap<readonly Field[], Mentions>()

/** Made once for each list of fields, since its pattern takes longer to make than to use. */
export function mentionsOf(fields: readonly Field[]): Mentions {
  const mentions = known.get(fields) ?? new Mentions(fields)
  known.set(fields, mentions)
  return mentions
}

const LETTER = /[\p{L}\p{N}]/u

/** The word that a place of a text stands in. */
function tokenAround(text: string, from: number, to: number): readonly [string, number] {
  let [start, end] = [from, to]
  while (start > 0 && from - start < 40 && LETTER.test(text.charAt(start - 1))) start--
  while (end < text.length && end - to < 40 && LETTER.test(text.charAt(end))) end++
  return [text.slice(start, end), end]
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `tax_id` in any spelling; its letters may stand apart: `T.A.X. ID`. */
const patternOf = (words: readonly string[]): string =>
  [...words.join('')].map(escaped).join('[\\s_.-]?')
