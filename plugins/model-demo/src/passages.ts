import { textStart } from '@amodal/sdk/data'
import { stemsOf, subjectsOf } from './words.ts'

export interface Passage {
  readonly title: string
  readonly text: string
}
export interface Found {
  readonly passage: Passage
  readonly score: number
  /** Share of the subjects it speaks of. */ readonly covers: number
}

// The usual constants of BM25: saturation of repeated words, and how much length counts.
const K = 1.2
const B = 0.75
const MAX_PASSAGE = 1_200

interface Indexed {
  readonly passage: Passage
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/**
 * The paragraphs of a text, found by the words of a question.
 *
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */
export class Passages {
  readonly #all: readonly Indexed[]
  readonly #within = new Map<string, number>()
  readonly #length: number

  constructor(text: string) {
    this.#all = split(text).map(index)
    for (const { counts } of this.#all)
      for (const word of counts.keys()) this.#within.set(word, (this.#within.get(word) ?? 0) + 1)
    this.#length =
      this.#all.reduce((sum, one) => sum + one.length, 0) / Math.max(1, this.#all.length)
  }

  /** @returns the best passages, best first; none where no subject of the question occurs. */
  find(question: string, limit: number): readonly Found[] {
    const subjects = subjectsOf(question)
    return this.#all
      .map((one) => ({
        passage: one.passage,
        score: this.#score(one, subjects),
        covers:
          subjects.filter((word) => one.counts.has(word)).length / Math.max(1, subjects.length),
      }))
      .filter((one) => one.score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
  }

  #score({ counts, length }: Indexed, subjects: readonly string[]): number {
    let score = 0
    for (const word of subjects) {
      const count = counts.get(word)
      if (count === undefined) continue
      const rarity = Math.log(
        1 +
          (this.#all.length - (this.#within.get(word) ?? 0) + 0.5) /
            ((this.#within.get(word) ?? 0) + 0.5),
      )
      score += rarity * ((count * (K + 1)) / (count + K * (1 - B + (B * length) / this.#length)))
    }
    return score
  }
}

/** A heading in Markdown, or a tag on a line of its own that names what it holds. */
const HEADING = /^(?:#{1,6}\s+(.+)|<[\w-]+(?:\s[^<>]*)?>)$/
const TAG_NAME = /\b(?:title|name)="([^"]+)"/g
const CLOSING = /^<\/[\w-]+>$/

/**
 * The parts of a text under their headings; a long one in its paragraphs, each with the heading.
 */
function split(text: string): readonly Passage[] {
  const passages: Passage[] = []
  let title = ''
  let lines: string[] = []
  const close = (): void => {
    const body = lines.join('\n').trim()
    const pieces = body.length > MAX_PASSAGE ? body.split(/\n\s*\n/) : [body]
    for (const piece of pieces)
      if (/\p{L}/u.test(piece))
        passages.push({
          title,
          text: piece.length > MAX_PASSAGE ? `${textStart(piece, MAX_PASSAGE)} …` : piece,
        })
    lines = []
  }
  for (const line of text.split('\n')) {
    const heading = HEADING.exec(line.trim())
    if (heading !== null || CLOSING.test(line.trim())) close()
    if (heading !== null)
      title = (heading[1] ?? [...line.matchAll(TAG_NAME)].at(-1)?.[1] ?? title).trim()
    else if (!CLOSING.test(line.trim())) lines.push(line)
  }
  close()
  return passages
}

function index(passage: Passage): Indexed {
  const words = stemsOf(`${passage.title} ${passage.text}`)
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { passage, counts, length: words.length }
}
