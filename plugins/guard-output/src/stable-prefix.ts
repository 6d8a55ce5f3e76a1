/**
 * How much of a streamed text is stable: the rest may still become a link, image or handle.
 */

const LONGEST_LABEL = 300
const LONGEST_TARGET = 4_000
const TAG_WITH_MORE = /<(?:img|a|iframe|source|video|audio)\s/iy
const WHOLE_ADDRESS = /(?<!\w)https?:\/\//i
const BEGUN_ADDRESS = /(?<!\w)h(?:t(?:t(?:p(?:s?(?::\/?)?)?)?)?)?$/i
const LONGEST_BEGUN = 9
const SIGNS_OF_BEGUN: ReadonlySet<string> = new Set('htpsHTPS:/')

const MAY_BEGIN_LINK = /[[<]|!$/

/**
 * Up to where the links, images and handles of a text are whole. Looks at each of its characters a
 * few times, whatever they are.
 */
export function stableLinkPrefix(text: string): number {
  const begun = MAY_BEGIN_LINK.test(text) ? Math.min(bracketOpen(text), tagOpen(text)) : text.length
  return Math.min(
    begun === text.length && text.endsWith('!') ? text.length - 1 : begun,
    addressAtEnd(text),
  )
}

/** The first bracket whose words, or whose target behind them, have not ended. */
function bracketOpen(text: string): number {
  const line = text.lastIndexOf('\n') + 1
  const lastRound = text.lastIndexOf(')')
  const from = Math.max(line, text.length - LONGEST_LABEL - LONGEST_TARGET - 4)
  let opens: number[] = []
  let next = 0
  const withMark = (at: number): number => (at > 0 && text[at - 1] === '!' ? at - 1 : at)
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '[') opens.push(at)
    if (sign !== ']') continue
    while ((opens[next] ?? at) < at - LONGEST_LABEL - 1) next++
    const open = opens[next]
    const behind = text[at + 1]
    const goesOn =
      behind === undefined ||
      (text.length - at - 2 <= LONGEST_TARGET &&
        (behind === ':' || (behind === '(' && lastRound < at)))
    if (open !== undefined && goesOn) return withMark(open)
    opens = []
    next = 0
  }
  const open = opens.find((at) => at >= text.length - LONGEST_LABEL - 1)
  return open === undefined ? text.length : withMark(open)
}

/** The first tag, or address between angles, that has not ended. */
function tagOpen(text: string): number {
  const from = Math.max(text.lastIndexOf('>') + 1, text.length - LONGEST_TARGET - 8)
  const token = tokenAtEnd(text)
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    TAG_WITH_MORE.lastIndex = at
    if (at >= token || TAG_WITH_MORE.test(text)) return at
  }
  return text.length
}

/** Where an address begins that goes on to the end. */
function addressAtEnd(text: string): number {
  const from = Math.max(0, tokenAtEnd(text) - 1)
  if (text.includes('://', from)) {
    const whole = WHOLE_ADDRESS.exec(text.slice(from))?.index
    if (whole !== undefined) return from + whole
  }
  if (!SIGNS_OF_BEGUN.has(text.charAt(text.length - 1))) return text.length
  const last = text.slice(-LONGEST_BEGUN)
  const begun = BEGUN_ADDRESS.exec(last)?.index
  return begun === undefined ? text.length : text.length - last.length + begun
}

/** Where the last run without a space begins, or as much of it as an address may have. */
function tokenAtEnd(text: string): number {
  const least = Math.max(0, text.length - LONGEST_TARGET - LONGEST_BEGUN)
  let at = text.length
  while (at > least && !isSpace(text.charCodeAt(at - 1))) at--
  return at
}

const OTHER_SPACE = /\s/
const isSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  (code > 127 && OTHER_SPACE.test(String.fromCharCode(code)))

/**
 * Moves a position out of a redaction handle: a handle is emitted in one piece, since each reader
 * may see another text.
 */
export function avoidHandleSplit(text: string, place: number): number {
  const start = text.lastIndexOf('[redacted:', place - 1)
  return start >= 0 && text.indexOf(']', start) >= place ? start : place
}
