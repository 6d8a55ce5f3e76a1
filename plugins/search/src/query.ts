import type { Corpus, CorpusQuery } from './corpus.ts'
import { wordsOf } from './words.ts'

/** Passages from which on the time of a search is worth saving. */
const MANY = 2_000
/** Passages with words of a query that are scored, at least those with the rarest word. */
const MOST_SCORED = 15_000
/** A word that less than this part of many passages has may stand for longer ones. */
const SELDOM = 0.001
/** From this length on a word also finds those that begin with it. */
const PREFIX_CHARS = 4
/** From this length on a word also finds those that differ in one letter. */
const FUZZY_CHARS = 5
/** Words of a query that count; a longer query is a text, not a question. */
const MOST_WORDS = 24

/**
 * Reads a query for several corpora, so that their scores compare with each other: a word weighs
 * more the rarer it is in all of them together.
 *
 * In many passages, words that a lot of them have, such as "the", say little and take the longest
 * to look up: they are left out beside rarer ones. A word that enough passages have is searched as
 * it is, without longer and similar ones.
 *
 * @returns the query for each of them
 */
export function readQuery(
  text: string,
  corpora: readonly Corpus[],
): (corpus: Corpus) => CorpusQuery {
  const all = [...new Set(wordsOf(text))].slice(0, MOST_WORDS)
  const size = sum(corpora, (corpus) => corpus.size)
  const frequencies = new Map(
    all.map((word) => [word, sum(corpora, (corpus) => corpus.frequencyOf(word))]),
  )
  const frequencyOf = (word: string): number => frequencies.get(word) ?? 0
  const isMany = size >= MANY
  let scored = 0
  const words = all
    .toSorted((a, b) => frequencyOf(a) - frequencyOf(b))
    .filter((word, at) => {
      scored += frequencyOf(word)
      return !isMany || at === 0 || scored <= MOST_SCORED
    })
  return (corpus) => ({
    words,
    weightOf: (word) =>
      corpus.frequencyOf(word) === 0
        ? 1
        : rarity(frequencyOf(word), size) / rarity(corpus.frequencyOf(word), corpus.size),
    isPrefix: (word) =>
      word.length >= PREFIX_CHARS && (!isMany || frequencyOf(word) <= size * SELDOM),
    isFuzzy: (word) => word.length >= FUZZY_CHARS && (!isMany || frequencyOf(word) === 0),
  })
}

/** The inverse document frequency of BM25, as MiniSearch has it. */
const rarity = (frequency: number, size: number): number =>
  Math.log(1 + (Math.max(size, frequency) - frequency + 0.5) / (frequency + 0.5))

const sum = <T>(list: readonly T[], valueOf: (one: T) => number): number =>
  list.reduce((total, one) => total + valueOf(one), 0)
