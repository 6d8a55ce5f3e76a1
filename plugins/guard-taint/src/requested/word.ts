import { normalText } from '@amodal/sdk'

/**
 * Endings that make another form of the same word, in the languages that people mostly write in.
 */
const ENDINGS: ReadonlySet<string> = new Set([
  '',
  'a',
  'o',
  'i',
  'u',
  's',
  'es',
  'e',
  'd',
  'ed',
  'ing',
  'y',
  'ies',
  'ied',
  'ion',
  'ions',
  'ation',
  'ations',
  'ment',
  'ments',
  'al',
  'als',
  'n',
  'en',
  't',
  'te',
  'ung',
  'ungen',
  'er',
  'ir',
  'ar',
])
/** Letters that two words share at least. */
const SHORTEST = 3

/** A word of a text, or one of its marks, with its place. */
export interface Token {
  readonly text: string
  readonly at: number
  readonly isWord: boolean
}

const TOKEN =
  /[\p{L}\p{N}_@#+][\p{L}\p{N}_@+]*(?:(?:[.'’:/-]|,(?=\d))[\p{L}\p{N}_@+]+)*|[^\s\p{L}\p{N}]|\n\s*\n/gu

/** 's behind a number, l' before a word. */
const POSSESSIVE = /(?<=\d)['’]s\b/gu
const ELISION = /(?<![\p{L}\p{N}])(l|d|n|qu|dell|all|nell|sull|dall|un)['’](?=\p{L})/gu

/** A text in which what nothing parts stands apart. */
export const setApart = (text: string): string =>
  text.replace(JAPANESE, ' $& ').replace(POSSESSIVE, " ' s ").replace(ELISION, '$1 ')

/** Nothing parts its words but their letters. */
const JAPANESE = /\p{Script=Han}+|\p{Script=Hiragana}+|[\p{Script=Katakana}ー]+/gu

/** A text, word by word and mark by mark, in small letters. */
export function tokensOf(text: string): readonly Token[] {
  return [...setApart(text.normalize('NFKC').toLowerCase()).matchAll(TOKEN)].map(([found], at) => ({
    text: found,
    at,
    isWord: /[\p{L}\p{N}]/u.test(found),
  }))
}

/** The parts of a name that a program gave: `rotateAllKeys` → `rotate`, `all`, `keys`. */
export function partsOfName(name: string): readonly string[] {
  return normalText(name.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
}

/**
 * Whether two words are forms of one: `close` and `closed`, `invite` and `invitation`, `transfer`
 * and `transferred`.
 */
export function isSameWord(one: string, other: string): boolean {
  if (one === other) return true
  const shorter = Math.min(one.length, other.length)
  let shared = 0
  while (shared < shorter && one[shared] === other[shared]) shared++
  if (shared < SHORTEST || shared < shorter - 1) return false
  const rest = (word: string): string => {
    const end = word.slice(shared)
    // Of a doubled letter, one belongs to the ending: stop, stopped.
    return end !== '' && end[0] === word[shared - 1] ? end.slice(1) : end
  }
  return ENDINGS.has(rest(one)) && ENDINGS.has(rest(other))
}
