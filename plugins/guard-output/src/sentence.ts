import type { Span } from './finding.ts'

/** Characters of context before and after a number. */
const BACK = 160
export const AHEAD = 60

export const END_OF_SENTENCE = /[.!?]["')\]]?\s+(?=["'(\[]?\p{Lu})|\n/gu

/** The parts of a sentence before and after a number. */
export function sentenceAround(
  text: string,
  { start, end }: Span,
): { readonly before: string; readonly after: string } {
  const back = text.slice(Math.max(0, start - BACK), start)
  const ahead = text.slice(end, end + AHEAD)
  const begin = [...back.matchAll(END_OF_SENTENCE)].at(-1)
  const stop = ahead.search(END_OF_SENTENCE)
  return {
    before: begin ? back.slice(begin.index + begin[0].length) : back,
    after: stop === -1 ? ahead : ahead.slice(0, stop),
  }
}
