/** Where two texts differ first. */
export interface TextChange {
  /** Bytes of UTF-8 before it, the same in both. */
  readonly offset: number
  /** Characters before it. */
  readonly at: number
  /** The words that differ; empty: something was added or removed. */
  readonly word: { readonly before: string; readonly after: string }
  /** The words with what stands around them. */
  readonly excerpt: { readonly before: string; readonly after: string }
  /** The line of each text with the difference. */
  readonly line: { readonly before: string; readonly after: string }
}

/** Characters shown on each side of the words. */
const AROUND = 40
const MOST_WORDS = 200
const WORD = /[\p{L}\p{M}\p{N}_-]/u

/**
 * The first difference of two texts, in words.
 *
 * @returns `undefined` where they are the same
 *
 * @example
 * textChange('Pay a refund.', 'Pay a credit.')?.word // { before: 'refund', after: 'credit' }
 */
export function textChange(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined
  const at = commonStart(before, after)
  const spans = narrowed(before, after, at)
  const start = wordStart(after, at)
  const words = {
    before: before.slice(start, wordEnd(before, spans.before)),
    after: after.slice(start, wordEnd(after, spans.after)),
  }
  return {
    offset: new TextEncoder().encode(after.slice(0, at)).length,
    at,
    word: { before: shortened(words.before), after: shortened(words.after) },
    excerpt: {
      before: excerptOf(before, start, start + words.before.length),
      after: excerptOf(after, start, start + words.after.length),
    },
    line: { before: lineAt(before, at), after: lineAt(after, at) },
  }
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  // Not between the halves of one character.
  return /[\uD800-\uDBFF]/.test(one[at - 1] ?? '') ? at - 1 : at
}

/**
 * Ends of the first difference: up to what is the same at the end of both texts or, where that is
 * some lines below, of their first lines that differ.
 */
function narrowed(
  before: string,
  after: string,
  at: number,
): { readonly before: number; readonly after: number } {
  const ends = endsOf(before, after, at)
  const isShort =
    !before.slice(at, ends.before).includes('\n') && !after.slice(at, ends.after).includes('\n')
  if (isShort) return ends
  const isInsertion = ends.before === at || ends.after === at
  if (isInsertion) return ends
  const lines = { before: lineEnd(before, at), after: lineEnd(after, at) }
  return endsOf(before.slice(0, lines.before), after.slice(0, lines.after), at)
}

function endsOf(
  before: string,
  after: string,
  at: number,
): { readonly before: number; readonly after: number } {
  let [one, other] = [before.length, after.length]
  while (one > at && other > at && before[one - 1] === after[other - 1])
    [one, other] = [one - 1, other - 1]
  return { before: one, after: other }
}

function wordStart(text: string, at: number): number {
  let start = at
  while (start > 0 && WORD.test(text[start - 1] ?? '')) start--
  return start
}

function wordEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && WORD.test(text[end] ?? '')) end++
  return end
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

const lineAt = (text: string, at: number): string =>
  text.slice(text.lastIndexOf('\n', at - 1) + 1, lineEnd(text, at))

const shortened = (text: string): string =>
  text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)}…` : text

function excerptOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - AROUND)
  const upto = Math.min(text.length, Math.min(end, start + MOST_WORDS) + AROUND)
  return `${from > 0 ? '…' : ''}${text.slice(from, upto)}${upto < text.length ? '…' : ''}`
}
