import { createRequire } from 'node:module'
import type { Reading } from './span.ts'

const OTHER_THAN_ASCII = /[^\x00-\x7f]/
const IGNORABLE = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]$/u
const DIGIT = /^\p{Nd}$/u
const DASH = /^[\p{Pd}\u2212\u2043]$/u
const SPACE = /^\p{Zs}$/u
const WORD = /^[\p{L}\p{N}]$/u
const CAPITAL = /^\p{Lu}$/u
/** Most of what is no Latin letter in texts; they look like none. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]$/u

/**
 * Normalises a text before anything is looked for in it: compatibility forms (NFKC) without their
 * marks, digits of every script, one dash and one space, look-alikes of Latin letters as these
 * (UTS 39, from `unhomoglyph`); characters that are not displayed are left out. Texts of ASCII stay
 * as they are.
 *
 * @example normalise('Ｎｏ\u200b 5').text // 'No 5'
 */
export function normalise(text: string): Reading {
  if (!OTHER_THAN_ASCII.test(text)) return { text, at: same, behind: next }
  const starts: number[] = []
  const ends: number[] = []
  let plain = ''
  for (let index = 0; index < text.length;) {
    const code = text.codePointAt(index) ?? 0
    const end = index + (code > 0xffff ? 2 : 1)
    const form = code < 0x80 ? text.charAt(index) : plainForm(code)
    for (let unit = 0; unit < form.length; unit++) {
      starts.push(index)
      ends.push(end)
    }
    plain += form
    index = end
  }
  return {
    text: plain,
    at: (index) => starts[index] ?? text.length,
    behind: (index) => ends[index] ?? text.length,
  }
}

const same = (index: number): number => index
const next = (index: number): number => index + 1

/** By code point: a text has few different ones. */
const forms = new Map<number, string>()
const MOST_FORMS = 20_000

function plainForm(code: number): string {
  const known = forms.get(code)
  if (known !== undefined) return known
  const form = formOf(String.fromCodePoint(code))
  if (forms.size < MOST_FORMS) forms.set(code, form)
  return form
}

function formOf(char: string): string {
  const plain = plainCharacter(char)
  if (plain !== undefined) return plain
  return [...char.normalize('NFKD')].map((part) => plainCharacter(part) ?? part).join('')
}

/** The plain form of a character that is not made of several; `undefined` where it has none. */
function plainCharacter(char: string): string | undefined {
  if (char < '\x80') return char
  if (IGNORABLE.test(char)) return tagCharacter(char)
  if (DIGIT.test(char)) return digitOf(char)
  if (DASH.test(char)) return '-'
  if (SPACE.test(char)) return ' '
  return lookAlike(char)
}

/** Tag characters are hidden ASCII; models read them. */
function tagCharacter(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return code >= 0xe0020 && code <= 0xe007e ? String.fromCharCode(code - 0xe0000) : ''
}

/** Digits stand in Unicode in tens that begin with zero. */
function digitOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  let first = code
  while (first > code - 9 && DIGIT.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}

let tables: Readonly<Record<string, string>> | undefined
/** Read when a text first has a character that may be a look-alike. */
const confusables = (): Readonly<Record<string, string>> =>
  (tables ??= createRequire(import.meta.url)('unhomoglyph/data.json') as Record<string, string>)

function lookAlike(char: string): string | undefined {
  if (!WORD.test(char) || IDEOGRAPH.test(char)) return undefined
  const like = confusables()[char]
  if (like === undefined) return undefined
  // The tables do not tell a capital I, a small l and a one apart.
  if (like === 'l') return CAPITAL.test(char) ? 'I' : 'l'
  const plain = like.normalize('NFKD').replaceAll(/[^A-Za-z\d]/g, '')
  return plain === '' ? undefined : plain
}
