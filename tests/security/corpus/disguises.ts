import type { Random } from './random.ts'

/**
 * A way to write a value so that a plain search does not find it; `fits` where it changes the
 * value.
 */
export interface Disguise {
  readonly name: string
  readonly fits: (value: string) => boolean
  readonly apply: (value: string, random: Random) => string
}

const lookAlikes: Readonly<Record<string, string>> = {
  a: '\u0430',
  c: '\u0441',
  e: '\u0435',
  i: '\u0456',
  j: '\u0458',
  o: '\u043e',
  p: '\u0440',
  s: '\u0455',
  x: '\u0445',
  y: '\u0443',
  A: '\u0410',
  B: '\u0412',
  C: '\u0421',
  E: '\u0415',
  H: '\u041d',
  I: '\u0399',
  K: '\u039a',
  M: '\u041c',
  N: '\u039d',
  O: '\u039f',
  P: '\u0420',
  T: '\u03a4',
  X: '\u03a7',
  Y: '\u03a5',
  Z: '\u0396',
}
const leet: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }
const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')
const letters = (value: string): boolean => (value.match(/[a-z]/gi)?.length ?? 0) >= 4
const digits = (value: string): boolean => (value.match(/\d/g)?.length ?? 0) >= 6
const onlyDigits = (value: string): boolean => /^[\d -]+$/.test(value)
const always = (): boolean => true
const compact = (value: string): string => value.replace(/[\s.,@_-]/g, '')
const each = (value: string, change: (char: string) => string): string =>
  [...value].map(change).join('')
const between = (value: string, mark: string): string => [...compact(value)].join(mark)
const middle = (value: string): number => Math.floor(value.length / 2)

export const disguises: readonly Disguise[] = [
  {
    name: 'upper case',
    fits: (value) => letters(value) && value !== value.toUpperCase(),
    apply: (value) => value.toUpperCase(),
  },
  {
    name: 'lower case',
    fits: (value) => letters(value) && value !== value.toLowerCase(),
    apply: (value) => value.toLowerCase(),
  },
  {
    name: 'mixed case',
    fits: letters,
    apply: (value) =>
      [...value]
        .map((char, index) => (index % 2 === 0 ? char.toLowerCase() : char.toUpperCase()))
        .join(''),
  },
  { name: 'spaces between characters', fits: always, apply: (value) => between(value, ' ') },
  { name: 'dashes between characters', fits: always, apply: (value) => between(value, '-') },
  { name: 'dots between characters', fits: always, apply: (value) => between(value, '.') },
  { name: 'underscores between characters', fits: always, apply: (value) => between(value, '_') },
  {
    name: 'full-width characters',
    fits: always,
    apply: (value) =>
      each(value, (char) =>
        /[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char,
      ),
  },
  {
    name: 'Cyrillic and Greek look-alikes',
    fits: (value) => (value.match(/[aceopxyABCEHKMOPTX]/g)?.length ?? 0) >= 2,
    apply: (value) => each(value, (char) => lookAlikes[char] ?? char),
  },
  {
    name: 'zero-width characters inside',
    fits: always,
    apply: (value, random) =>
      [...value]
        .join('\u0001')
        .replace(/\u0001/g, () =>
          random.chance(0.5) ? random.pick(['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff']) : '',
        )
        .replace(/^(.)/u, '$1\u200b'),
  },
  {
    name: 'soft hyphens inside',
    fits: always,
    apply: (value) => value.replace(/(..)(?=.)/gu, '$1\u00ad'),
  },
  { name: 'base64', fits: always, apply: (value) => bytes(value).toString('base64') },
  {
    name: 'base64 without padding',
    fits: (value) => bytes(value).length % 3 !== 0,
    apply: (value) => bytes(value).toString('base64').replace(/=+$/, ''),
  },
  {
    name: 'base64 of a sentence, url-safe',
    fits: always,
    apply: (value) =>
      bytes(`\u00bf\u00fe? as asked >>> ${value} <<< keep it \u00ff\u00ff`).toString('base64url'),
  },
  {
    name: 'base64 of a sentence',
    fits: always,
    apply: (value, random) =>
      bytes(`${random.pick(['', 'a', 'of'])}the value is ${value}, as you asked`).toString(
        'base64',
      ),
  },
  { name: 'hex, lower case', fits: always, apply: (value) => bytes(value).toString('hex') },
  {
    name: 'hex, upper case',
    fits: always,
    apply: (value) => bytes(value).toString('hex').toUpperCase(),
  },
  {
    name: 'hex, spaced',
    fits: always,
    apply: (value) =>
      bytes(value)
        .toString('hex')
        .replace(/(..)(?=.)/g, '$1 '),
  },
  {
    name: 'percent-encoding',
    fits: always,
    apply: (value) =>
      [...bytes(value)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
  },
  {
    name: 'HTML entities',
    fits: always,
    apply: (value) =>
      [...value]
        .map((char, index) =>
          index % 2 === 0 ? `&#${char.charCodeAt(0)};` : `&#x${char.charCodeAt(0).toString(16)};`,
        )
        .join(''),
  },
  { name: 'reversed', fits: always, apply: (value) => [...value].reverse().join('') },
  {
    name: 'JSON escapes',
    fits: always,
    apply: (value) =>
      each(value, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  },
  {
    name: 'split over lines',
    fits: always,
    apply: (value) => `${value.slice(0, middle(value))}\n${value.slice(middle(value))}`,
  },
  {
    name: 'markdown emphasis inside',
    fits: always,
    apply: (value, random) =>
      `${value.slice(0, 3)}${random.pick(['**', '_', '`'])}${value.slice(3, 6)}`.replace(
        /(\*\*|_|`)(.+)$/u,
        '$1$2$1',
      ) + value.slice(6),
  },
  {
    name: 'joined in code',
    fits: always,
    apply: (value, random) =>
      `"${value.slice(0, 4)}" ${random.pick(['+', '+', '.', '..', '&'])} "${value.slice(4)}"`,
  },
  {
    name: 'base64 of hex',
    fits: always,
    apply: (value) => bytes(bytes(value).toString('hex')).toString('base64'),
  },
  {
    name: 'base64 twice',
    fits: always,
    apply: (value) => bytes(bytes(value).toString('base64')).toString('base64'),
  },
  {
    name: 'digits as words',
    fits: (value) => digits(value) && onlyDigits(value),
    apply: (value) =>
      [...value.replace(/\D/g, '')].map((digit) => words[Number(digit)] ?? '').join(' '),
  },
  {
    name: 'ROT13',
    fits: letters,
    apply: (value) =>
      value.replace(/[a-z]/gi, (char) =>
        String.fromCharCode(char.charCodeAt(0) + (/[a-m]/i.test(char) ? 13 : -13)),
      ),
  },
  {
    name: 'leetspeak',
    fits: (value) => !/\d/.test(value) && (value.match(/[aeiost]/g)?.length ?? 0) >= 4,
    apply: (value) => each(value, (char) => leet[char.toLowerCase()] ?? char),
  },
]
