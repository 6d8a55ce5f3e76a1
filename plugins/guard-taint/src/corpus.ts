import { compact, groupedOf, normal, numberIn, numbersOf, wordsOf } from './normal.ts'
import { decodedIn } from './decoded.ts'

/** The source of a text. */
export interface Source {
  /** The tool whose result it is; the kind of source for other texts. */
  readonly tool: string
  /** Of the call; empty where there is none. */
  readonly call: string
  /** Where that call went. */
  readonly connection: string
  readonly text: string
}

interface Entry {
  readonly source: Source
  readonly normal: string
  readonly numbers: boolean
}

/** Texts that are searched for one word; a word with more texts is not selective. */
const MOST_ENTRIES = 64
/** Characters that are searched for one query. */
const MOST_UNINDEXED = 20_000
/** Characters of one text. */
const MOST_TEXT = 400_000

/**
 * Texts with an index of their words, so that a query costs as much as it finds. The newest texts
 * are searched without an index until there are many: most conversations end before. Beyond
 * `maxChars` the older half is dropped.
 */
export class Corpus {
  readonly #maxChars: number
  #entries: Entry[] = []
  #chars = 0
  /** By word, number and grouped number, the entries that have it, the newest last. */
  #words = new Map<string, Entry[]>()
  #unindexed: Entry[] = []
  #unindexedChars = 0

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  get newest(): Source | undefined {
    return this.#entries.at(-1)?.source
  }

  /** @param numbers `false`: what is counted in this text is nobody's amount. */
  add(source: Source, { encoded = false, numbers = true } = {}): void {
    const text = source.text.length > MOST_TEXT ? source.text.slice(0, MOST_TEXT) : source.text
    const entry = {
      source,
      numbers,
      normal: [text, ...(encoded ? decodedIn(text) : [])].map(normal).join('\n'),
    }
    if (entry.normal === '') return
    this.#chars += entry.normal.length
    this.#entries.push(entry)
    this.#unindexed.push(entry)
    this.#unindexedChars += entry.normal.length
    if (this.#chars > this.#maxChars) this.#forget()
  }

  /** Where a value stands as it is, in any case and spacing; the newest of them. */
  find(value: string): Source | undefined {
    const wanted = normal(value)
    const found = this.#findWords(wanted)
    if (found) return found
    const grouped = compact(wanted)
    return /\d{6}|^[a-z]{2}\d{2}/.test(grouped) && grouped.length >= 7
      ? this.#newest(`=${grouped}`)
      : undefined
  }

  findNumber(value: number): Source | undefined {
    return this.#newest(`#${String(value)}`)
  }

  #findWords(wanted: string): Source | undefined {
    const number = numberIn(wanted)
    const counted = number === undefined ? undefined : this.#newest(`#${number}`)
    if (counted) return counted
    const words = [...wordsOf(wanted)]
    if (words.length === 0) return undefined
    if (this.#unindexedChars > MOST_UNINDEXED) this.#indexAll()
    // They are newer than all that are indexed.
    const fresh = this.#unindexed.findLast(({ normal: text }) => standsIn(text, wanted))
    if (fresh) return fresh.source
    const lists = words.map((word) => this.#words.get(word))
    let shortest: readonly Entry[] | undefined
    for (const list of lists) {
      if (!list) return undefined
      if (!shortest || list.length < shortest.length) shortest = list
    }
    return shortest?.findLast(({ normal: text }) => standsIn(text, wanted))?.source
  }

  #newest(key: string): Source | undefined {
    this.#indexAll()
    return this.#words.get(key)?.at(-1)?.source
  }

  #indexAll(): void {
    for (const entry of this.#unindexed) this.#index(entry)
    this.#unindexed = []
    this.#unindexedChars = 0
  }

  #index(entry: Entry): void {
    const keys = new Set(wordsOf(entry.normal))
    for (const grouped of groupedOf(entry.normal)) keys.add(`=${grouped}`)
    if (entry.numbers) for (const number of numbersOf(entry.normal)) keys.add(`#${number}`)
    for (const key of keys) {
      const entries = this.#words.get(key)
      if (!entries) this.#words.set(key, [entry])
      else {
        entries.push(entry)
        if (entries.length > MOST_ENTRIES) entries.shift()
      }
    }
  }

  #forget(): void {
    const kept: Entry[] = []
    let chars = 0
    for (const entry of this.#entries.toReversed()) {
      if (kept.length > 0 && chars + entry.normal.length > this.#maxChars / 2) break
      chars += entry.normal.length
      kept.push(entry)
    }
    this.#entries = kept.reverse()
    this.#chars = chars
    this.#words = new Map()
    this.#unindexed = [...kept]
    this.#unindexedChars = chars
  }
}

const IN_WORD = /[\p{L}\p{N}_]/u

/**
 * Whether a value stands in a text, and is no part of a longer one there: `5` is not in `15`, nor
 * `b@x.com` in `a.b@x.com`.
 */
function standsIn(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const [before, after] = [
      text.slice(Math.max(0, at - 2), at),
      text.slice(at + value.length, at + value.length + 2),
    ]
    if (
      !goesOn(value.at(0) ?? '', before.at(-1) ?? '', before.at(-2) ?? '', value) &&
      !goesOn(value.at(-1) ?? '', after.at(0) ?? '', after.at(1) ?? '', value)
    )
      return true
  }
  return false
}

/**
 * Whether what is next to the edge of a value belongs to the same word, or to the same address or
 * host.
 */
function goesOn(edge: string, next: string, second: string, value: string): boolean {
  if (!IN_WORD.test(edge)) return false
  return IN_WORD.test(next) || (/[@.]/.test(value) && /[.+\-%@]/.test(next) && IN_WORD.test(second))
}
