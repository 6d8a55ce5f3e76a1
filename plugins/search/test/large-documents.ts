/** Documents of a size and with words as texts have them, the same on every run. */

import type { SearchableDocument } from '../src/corpus.ts'

const SYLLABLES =
  'ba co di fu ge ha ki lo mu ne pa qui ro su ta ve wi xa yo zu tion ment ing er'.split(' ')
/** Different words of all documents. */
const VOCABULARY = 60_000
/** Words of a document. */
const LENGTH = 60

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function wordAt(rank: number): string {
  let word = ''
  for (let rest = rank + 7; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length] ?? ''
  return word
}

/** A word by Zipf's law: the n-th most frequent one is n times as rare as the first. */
const wordsBy = (next: () => number) => (): string =>
  wordAt(Math.floor(Math.exp(next() * Math.log(VOCABULARY))) - 1)

/** @param count how many */
export function largeDocuments(count: number): readonly SearchableDocument[] {
  const word = wordsBy(random(1))
  const text = (length: number): string => Array.from({ length }, word).join(' ')
  return Array.from({ length: count }, (_, n) => ({
    key: `d${n}`,
    title: text(2),
    passages: [{ heading: '', text: text(LENGTH) }],
  }))
}

/** Queries of two to six words, every fourth with a word that is misspelled. */
export function largeQueries(count: number): readonly string[] {
  const next = random(2)
  const word = wordsBy(next)
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from({ length: 2 + Math.floor(next() * 5) }, word)
    const [first = '', ...others] = words
    const misspelled = `${first.slice(0, 2)}${first.slice(3)}`
    return [n % 4 === 0 ? misspelled : first, ...others].join(' ')
  })
}
