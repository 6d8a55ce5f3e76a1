import { ACCOUNT, ALIKE, BANK, CODE, LINK, NUMBER, OTHER, PRECISE } from './account-words.ts'
import {
  JOINED_ACCOUNT,
  JOINED_BANK,
  JOINED_CODE,
  JOINED_NUMBER,
  JOINED_OTHER,
  JOINED_PRECISE,
} from './account-words-joined.ts'
import { BRANDS } from './bank-brands.ts'

/** What a word has to do with accounts; `word` is any other. */
export type Kind =
  'precise' | 'account' | 'number' | 'bank' | 'brand' | 'code' | 'link' | 'other' | 'word'

/** A word of a text. */
export interface Token {
  readonly kind: Kind
  readonly word: string
  readonly start: number
  readonly end: number
  /** Known only if one letter of it is taken for another, is missing or too many. */
  readonly typed: boolean
}

/** Shorter words are too much like others to be known with a letter wrong. */
const LEAST_TYPED = 6
const LONGEST_WORD = 32
const SHORTEST_STEM = 3

const LIKE_LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ł: 'l',
    ø: 'o',
    đ: 'd',
    ß: 's',
    ı: 'i',
    æ: 'a',
    œ: 'o',
    ð: 'd',
    þ: 't',
    ς: 'σ',
    // raised, as in `nº`
    º: 'o',
    ª: 'a',
    ᵒ: 'o',
    ᵃ: 'a',
  }),
)
/** Scripts in which signs above letters make them others, and syllables are made of letters. */
const WITHOUT_ACCENTS = /[\u0590-\u1cff\u2e80-\uffff]/
const foldChar = (char: string): string => {
  if (WITHOUT_ACCENTS.test(char)) return char
  const low = char.toLowerCase().normalize('NFD').charAt(0)
  return LIKE_LATIN.get(low) ?? (char.length === 1 ? low : char)
}
/** Small letters without accents, one for one, so that places stay places. */
const folded = (text: string): string =>
  text
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll(/[^\x00-\x7f]/g, foldChar)

interface Known {
  readonly kind: Kind
  readonly typed: boolean
}

/** The words of all tables: whole ones, beginnings and ends of longer ones. */
class Lexicon {
  readonly #whole = new Map<string, Kind>()
  readonly #stems = new Map<string, Kind>()
  readonly #ends = new Map<string, Kind>()
  readonly #inner = new Map<string, Kind>()
  /** Words with one letter left out. */
  readonly #shorter = new Map<string, Kind>()
  /** How stems, ends and inner words begin: nearly all words of a text have none of them. */
  readonly #beginnings = {
    stems: new Set<string>(),
    ends: new Set<string>(),
    inner: new Set<string>(),
  }
  /** The first two letters of what a mistyped word may be. */
  readonly #shortBeginnings = new Set<string>()
  readonly abbreviations: readonly string[]

  /** Of two tables that have the same word, the later one says what it is. */
  constructor(tables: readonly (readonly [Kind, string])[]) {
    const abbreviations = new Set<string>()
    for (const [kind, table] of tables)
      for (const entry of folded(table).split(/\s+/).filter(Boolean)) {
        const bare = entry.replaceAll('*', '')
        if (entry.includes('/')) abbreviations.add(bare)
        this.#tableOf(entry, bare).set(bare, kind)
        this.#whole.set(bare, kind)
        if (kind === 'precise' || kind === 'account') this.#addShorter(bare, kind)
      }
    this.abbreviations = [...abbreviations]
  }

  /** A star stands where more letters may. */
  #tableOf(entry: string, bare: string): Map<string, Kind> {
    const beginning = bare.slice(0, SHORTEST_STEM)
    if (entry.startsWith('*')) {
      if (!entry.endsWith('*')) {
        this.#beginnings.ends.add(beginning)
        return this.#ends
      }
      this.#beginnings.inner.add(beginning)
      return this.#inner
    }
    if (!entry.endsWith('*')) return this.#whole
    this.#beginnings.stems.add(beginning)
    return this.#stems
  }

  #addShorter(word: string, kind: Kind): void {
    if (word.length < LEAST_TYPED || !/^\p{L}+$/u.test(word)) return
    this.#shortBeginnings.add(word.slice(0, 2)).add(word.charAt(0) + word.charAt(2))
    for (let at = 1; at < word.length; at++)
      this.#shorter.set(word.slice(0, at) + word.slice(at + 1), kind)
  }

  whole(word: string): Kind | undefined {
    return this.#whole.get(word)
  }

  known(word: string): Known | undefined {
    if (word.length > LONGEST_WORD) return undefined
    const kind = this.#whole.get(word) ?? this.#composed(word)
    if (kind) return { kind, typed: false }
    const typed = this.#mistyped(word)
    return typed && { kind: typed, typed: true }
  }

  #composed(word: string): Kind | undefined {
    const { stems, ends, inner: inners } = this.#beginnings
    if (stems.has(word.slice(0, SHORTEST_STEM)))
      for (let end = word.length; end >= SHORTEST_STEM; end--) {
        const kind = this.#stems.get(word.slice(0, end))
        if (kind) return kind
      }
    for (let start = 0; start <= word.length - SHORTEST_STEM; start++) {
      const beginning = word.slice(start, start + SHORTEST_STEM)
      const kind = ends.has(beginning) ? this.#ends.get(word.slice(start)) : undefined
      if (kind) return kind
      if (!inners.has(beginning)) continue
      for (let end = word.length; end - start >= LEAST_TYPED; end--) {
        const inner = this.#inner.get(word.slice(start, end))
        if (inner) return inner
      }
    }
    return undefined
  }

  #mistyped(word: string): Kind | undefined {
    if (word.length < LEAST_TYPED - 1) return undefined
    const mayBe = this.#shortBeginnings
    if (!mayBe.has(word.slice(0, 2)) && !mayBe.has(word.charAt(0) + word.charAt(2)))
      return undefined
    const missing = this.#shorter.get(word)
    if (missing || word.length < LEAST_TYPED) return missing
    for (let at = 1; at < word.length; at++) {
      const rest = word.slice(0, at) + word.slice(at + 1)
      const whole = rest.length >= LEAST_TYPED ? this.#whole.get(rest) : undefined
      if (whole === 'precise' || whole === 'account') return whole
      const kind = this.#shorter.get(rest)
      if (kind) return kind
    }
    return undefined
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
const longestFirst = (words: Iterable<string>): readonly string[] =>
  [...words].sort((one, other) => other.length - one.length)

interface Tables {
  readonly lexicon: Lexicon
  readonly joined: ReadonlyMap<string, Kind>
  readonly token: RegExp
  /** An abbreviation with a point or a stroke in it, where a word begins. */
  readonly short: RegExp
}

/** Made with the first number that may be an account: a start does not wait for it. */
let made: Tables | undefined
const tables = (): Tables => (made ??= makeTables())

function makeTables(): Tables {
  const lexicon = new Lexicon([
    ['link', LINK],
    ['brand', BRANDS],
    ['bank', BANK],
    ['account', ACCOUNT],
    ['number', NUMBER],
    ['other', OTHER],
    ['code', CODE],
    ['precise', PRECISE],
    ['word', ALIKE],
  ])

  const joined = new Map<string, Kind>()
  for (const [kind, words] of [
    ['number', JOINED_NUMBER],
    ['bank', JOINED_BANK],
    ['code', JOINED_CODE],
    ['account', JOINED_ACCOUNT],
    ['other', JOINED_OTHER],
    ['precise', JOINED_PRECISE],
  ] as const)
    for (const word of words) joined.set(folded(word), kind)

  const JOINED = longestFirst(joined.keys()).map(escaped).join('|')
  const ABBREVIATED = longestFirst(lexicon.abbreviations)
    .map((word) =>
      word
        .split('/')
        .map(escaped)
        .join(String.raw`\.?\s?[/.]\s?`),
    )
    .join('|')
  const SPACED = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}]`
  const token = new RegExp(
    String.raw`(?<joined>(?=[(\u0590-\uffff])(?:${JOINED}))|(?<short>(?<!\p{L})(?=\p{L}{1,8}\.?\s?[/.])(?:${ABBREVIATED})(?!\p{L}))|(?<word>${SPACED}[${SPACED.slice(1, -1)}\p{M}]*)|(?<rest>(?:(?!${JOINED}|${SPACED})[\p{L}\p{M}])+)|(?<sign>[#№º°])`,
    'gu',
  )
  const short = new RegExp(String.raw`(?:${ABBREVIATED})(?!\p{L})`, 'uy')
  return { lexicon, joined, token, short }
}

const CAMEL = /\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+/gu
/** Two words that are written as one elsewhere: `sort code`, `tài khoản`. */
const BETWEEN = /^[\s_.'’-]{1,2}$/
/** Particles of languages without spaces. */
const SHORT_REST = 3

/** What stands between numbers of a list holds none. */
const HOLDS_WORD = /[\p{L}\p{M}#№º°]/u

/** The words of a text between two places, in order. */
export function tokensIn(text: string, from: number, upto: number): readonly Token[] {
  const original = text.slice(from, upto)
  if (!HOLDS_WORD.test(original)) return []
  const low = folded(original)
  const tokens: Token[] = []
  const add: AddToken = (word, at, found) => {
    const last = tokens.at(-1)
    const pair =
      last && BETWEEN.test(original.slice(last.end - from, at))
        ? tables().lexicon.whole(last.word + word)
        : undefined
    const token = { word, start: from + at, end: from + at + word.length }
    if (last && pair && pair !== 'link') {
      tokens.pop()
      tokens.push({ ...token, kind: pair, start: last.start, typed: false })
    } else tokens.push({ ...token, kind: found?.kind ?? 'word', typed: found?.typed ?? false })
  }
  if (ASCII.test(low)) {
    addPlain(original, low, add)
    return tokens
  }
  for (const { 0: match, index, groups } of low.matchAll(tables().token)) {
    if (groups?.['word'] !== undefined) addWord(original, match, index, add)
    else if (groups?.['short'] !== undefined) addShort(match, index, add)
    else
      add(match, index, {
        kind:
          tables().joined.get(match) ?? (groups?.['sign'] === undefined ? restOf(match) : 'number'),
        typed: false,
      })
  }
  return tokens
}

type AddToken = (word: string, at: number, found: Known | undefined) => void

const ASCII = /^[\x00-\x7f]*$/
const PLAIN_WORD = /[a-z]+|#/g
/** Behind the letters of an abbreviation. */
const SHORTENED = /\.?\s?[/.]/y
const LONGEST_SHORT = 8

/** The same as the pattern of all scripts finds, of a text of ASCII alone. */
function addPlain(original: string, low: string, add: AddToken): void {
  let upto = 0
  for (const { 0: match, index } of low.matchAll(PLAIN_WORD)) {
    if (index < upto) continue // a part of an abbreviation
    if (match === '#') {
      add(match, index, { kind: 'number', typed: false })
      continue
    }
    const end = index + match.length
    SHORTENED.lastIndex = end
    if (match.length <= LONGEST_SHORT && SHORTENED.test(low)) {
      const { short } = tables()
      short.lastIndex = index
      const abbreviated = short.exec(low)?.[0]
      if (abbreviated !== undefined) {
        addShort(abbreviated, index, add)
        upto = index + abbreviated.length
        continue
      }
    }
    addWord(original, match, index, add)
  }
}

const addShort = (match: string, index: number, add: AddToken): void =>
  add(match, index, tables().lexicon.known(match.replaceAll(/[.\s/]+/g, '/')))

const restOf = (word: string): Kind => (word.length < SHORT_REST ? 'link' : 'word')

/** A word as it stands, or the words that a name in camel case is made of. */
function addWord(original: string, word: string, index: number, add: AddToken): void {
  const bare = ASCII.test(word) ? word : word.replaceAll(/\p{M}/gu, '')
  const known = wordKind(bare)
  if (known) return add(word, index, known)
  const own = original.slice(index, index + word.length)
  if (!/\p{Ll}\p{Lu}/u.test(own)) return add(word, index, known)
  for (const part of own.matchAll(CAMEL)) {
    const low = folded(part[0])
    add(low, index + part.index, wordKind(low))
  }
}

/** Words of numbers that a name is written together with: `kontonr`. */
const WITH_NUMBER =
  /^(?:numero|num|nomor|nr|no|nro)?(.{2,}?)(?:number|nummer|numero|numer|num|nro|nr|no|id)?$/

function wordKind(word: string): Known | undefined {
  const known = tables().lexicon.known(word)
  if (known) return known
  const rest = WITH_NUMBER.exec(word)?.[1]
  const kind = rest === undefined || rest === word ? undefined : tables().lexicon.whole(rest)
  return kind === 'account' || kind === 'precise' ? { kind: 'precise', typed: false } : undefined
}
