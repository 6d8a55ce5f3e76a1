import { unescaped } from './decode.ts'
import { ibanAtEnd } from './iban.ts'
import { normalise } from './normalise.ts'

/** Characters of the longest number, with the signs between its digits. */
const LONGEST = 64
/** Signs between two digits that may be of one number. */
const MOST_SIGNS = 2
const SIGNS: ReadonlySet<string> = new Set(' ./_·()+-')

/** Where a number begins at the end of a text that may go on; the end where none does. */
export function beginsAtEnd(held: string): number {
  const shift = Math.max(0, held.length - LONGEST)
  const plain = normalise(held.slice(shift))
  const readable = unescaped(plain.text)
  const first = Math.min(
    firstIn(plain.text),
    readable ? readable.at(firstIn(readable.text)) : plain.text.length,
  )
  return first < plain.text.length ? shift + plain.at(first) : held.length
}

const firstIn = (text: string): number =>
  Math.min(digitsAtEnd(text), ibanAtEnd(text) ?? text.length, text.length)

/** Where digits begin, with signs between them, that go on to the end. */
function digitsAtEnd(text: string): number {
  let first = Infinity
  let signs = 0
  for (let at = text.length - 1; at >= 0 && signs <= MOST_SIGNS; at--) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) {
      first = at
      signs = 0
    } else if (SIGNS.has(text.charAt(at))) signs++
    else break
  }
  // A plus or a bracket in front belongs to a phone number.
  return first !== Infinity && text.charAt(first - 1) === '+' ? first - 1 : first
}
