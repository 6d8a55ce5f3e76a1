import { decodedIn } from './decoded.ts'
import { compact, groupedOf, normal, numberIn, numbersOf, WORD } from './normal.ts'

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

/** Characters of one text. */
const MOST_TEXT = 400_000

/** A text as it is searched. Its numbers are read when the first of them is looked for. */
class Entry {
  readonly source: Source
  readonly normal: string
  readonly #hasNumbers: boolean
  #numbers: ReadonlySet<string> | undefined
  #grouped: ReadonlySet<string> | undefined

  constructor(source: Source, isEncoded: boolean, hasNumbers: boolean) {
    const text = source.text.slice(0, MOST_TEXT)
    this.source = source
    this.normal = [text, ...(isEncoded ? decodedIn(text) : [])].map(normal).join('\n')
    this.#hasNumbers = hasNumbers
  }

  hasNumber(number: string): boolean {
    return this.#hasNumbers && (this.#numbers ??= numbersOf(this.normal)).has(number)
  }

  hasGrouped(grouped: string): boolean {
    return (this.#grouped ??= groupedOf(this.normal)).has(grouped)
  }
}

/**
 * Texts that are searched for values. Beyond `maxChars` the older half is dropped: a value of it
 * has an unknown origin then.
 */
export class Corpus {
  readonly #maxChars: number
  #entries: Entry[] = []
  #chars = 0

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  get newest(): Source | undefined {
    return this.#entries.at(-1)?.source
  }

  /**
   * @param options.encoded read it in other encodings as well
   * @param options.numbers `false`: numbers of this text are nobody's amounts
   */
  add(source: Source, { encoded = false, numbers = true } = {}): void {
    const entry = new Entry(source, encoded, numbers)
    if (entry.normal === '') return
    this.#chars += entry.normal.length
    this.#entries.push(entry)
    if (this.#chars > this.#maxChars) this.#dropOldest()
  }

  /** The newest text in which a value stands as it is, in any case and spacing. */
  find(value: string): Source | undefined {
    const wanted = normal(value)
    const number = numberIn(wanted)
    const counted =
      number === undefined ? undefined : this.#newest((entry) => entry.hasNumber(number))
    if (counted) return counted
    if (wanted.search(WORD) === -1) return undefined
    const found = this.#newest((entry) => standsIn(entry.normal, wanted))
    if (found) return found
    const grouped = compact(wanted)
    return /\d{6}|^[a-z]{2}\d{2}/.test(grouped) && grouped.length >= 7
      ? this.#newest((entry) => entry.hasGrouped(grouped))
      : undefined
  }

  findNumber(value: number): Source | undefined {
    return this.#newest((entry) => entry.hasNumber(String(value)))
  }

  #newest(matches: (entry: Entry) => boolean): Source | undefined {
    return this.#entries.findLast(matches)?.source
  }

  #dropOldest(): void {
    let first = this.#entries.length - 1
    let chars = this.#entries[first]?.normal.length ?? 0
    for (; first > 0; first--) {
      const { length } = this.#entries[first - 1]?.normal ?? ''
      if (chars + length > this.#maxChars / 2) break
      chars += length
    }
    this.#entries = this.#entries.slice(first)
    this.#chars = chars
  }
}

const IN_WORD = /[\p{L}\p{N}_]/u

/**
 * Whether a value stands in a text, and is no part of a longer one there: `5` is not in `15`, nor
 * `b@x.com` in `a.b@x.com`.
 */
function standsIn(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at)
    const after = text.slice(at + value.length, at + value.length + 2)
    if (
      !continues(value.at(0) ?? '', before.at(-1) ?? '', before.at(-2) ?? '', value) &&
      !continues(value.at(-1) ?? '', after.at(0) ?? '', after.at(1) ?? '', value)
    )
      return true
  }
  return false
}

/**
 * Whether what is next to the edge of a value belongs to the same word, or to the same address or
 * host.
 */
function continues(edge: string, next: string, second: string, value: string): boolean {
  if (!IN_WORD.test(edge)) return false
  return IN_WORD.test(next) || (/[@.]/.test(value) && /[.+\-%@]/.test(next) && IN_WORD.test(second))
}
