import { AHEAD, END_OF_SENTENCE } from './around.ts'
import { fits } from './bank-account.ts'
import { isCardShape } from './card.ts'
import { groupsOf, partAt } from './numbers.ts'
import { plainOf } from './plain.ts'
import { mayHoldPatterns } from './scan.ts'

const DIGIT = /[\d\uff10-\uff19]/
/** Longer runs of digits and signs are no number of anybody. */
const MOST_NUMBER = 80
const NUMBER_AT_END = /\d[\d ./_+·\t-]*$/
const IBAN_AT_END = /(?<![A-Za-z0-9])[A-Za-z](?:[A-Za-z](?:[ -]?\d(?:[ -]?[A-Za-z0-9])*[ -]?)?)?$/
const SSN_SHAPES: ReadonlySet<string> = new Set(['9', '3-2-4'])

/** Up to where the numbers of a text can be judged: what comes next may belong to the last one, or say what it is. */
export function numbersSettled(text: string): number {
  if (!DIGIT.test(text)) return text.length - lettersAtEnd(text)
  const end = text.slice(-MOST_NUMBER)
  const shift = text.length - end.length
  const { text: tail, at } = plainOf(end)
  const begun = [NUMBER_AT_END, IBAN_AT_END].map((pattern) => pattern.exec(tail)?.index).filter((index) => index !== undefined)
  return Math.min(...begun.map((index) => shift + at(index)), firstUnsaid(text))
}

/** One or two letters that a word has begun with: an IBAN may. */
function lettersAtEnd(text: string): number {
  const [third = ' ', second = ' ', last = ' '] = text.slice(-3).padStart(3)
  if (!isLetter(last)) return 0
  if (!isLetter(second)) return 1
  return isLetter(third) ? 0 : 2
}

const isLetter = (char: string): boolean => /[\p{L}\p{N}]/u.test(char)

/** The first number that a sentence may still say something about. */
function firstUnsaid(original: string): number {
  if (!mayHoldPatterns(original)) return original.length
  const { text, at } = plainOf(original)
  const groups = groupsOf(text)
  for (const index of groups.keys()) {
    for (const count of [5, 4, 3, 2, 1]) {
      const chain = partAt(groups, index, count)
      if (!chain || chain.digits.length < 8 || chain.digits.length > 19 || !(SSN_SHAPES.has(chain.shape) || isCardShape(chain.shape) || fits(chain.shape, chain.joint))) continue
      const behind = text.slice(chain.end, chain.end + AHEAD)
      if (behind.length < AHEAD && behind.search(END_OF_SENTENCE) === -1) return at(chain.start)
    }
  }
  return original.length
}

const UNCLOSED = /^!?\[(?:[^\]\n]{0,300}|[^\]\n]{0,300}\](?:\([^)\n]{0,4000}|:[^\n]{0,4000})?)$/
const TAG = /^<(?:[a-z]{0,6}|(?:img|a|iframe|source|video|audio)\s[^>]{0,4000}|h?t?t?p?s?:?[^\s>]{0,4000})$/i
const ADDRESS = /(?<![\w])h(?:t(?:t(?:p(?:s?(?::(?:\/(?:\/\S{0,4000})?)?)?)?)?)?)?$/i

const MAY_BEGIN_LINK = /[[<]|!$/

/** Up to where the links, images and handles of a text are whole. */
export function linksSettled(text: string): number {
  if (MAY_BEGIN_LINK.test(text)) for (const { index } of text.matchAll(/!?\[|<|!$/g)) {
    const tail = text.slice(index)
    if (tail === '!' || UNCLOSED.test(tail) || TAG.test(tail)) return index
  }
  return ADDRESS.exec(text)?.index ?? text.length
}

/** A place that is not inside of a handle: it is told in one piece, since it may be another text for each reader. */
export function wholeHandles(text: string, place: number): number {
  const start = text.lastIndexOf('[redacted:', place - 1)
  return start >= 0 && text.indexOf(']', start) >= place ? start : place
}
