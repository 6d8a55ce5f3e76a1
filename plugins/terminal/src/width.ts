import stringWidth from 'string-width'

const ASCII = /^[ -~]*$/
const SGR = /\u001b\[[\d;]*m/g

let segmenter: Intl.Segmenter | undefined

/** Columns that a text takes; looks take none. */
export function widthOf(text: string): number {
  const bare = text.includes('\u001b') ? text.replaceAll(SGR, '') : text
  return ASCII.test(bare) ? bare.length : stringWidth(bare)
}

/** The characters of a text as people count them. */
export function graphemesOf(text: string): readonly string[] {
  if (ASCII.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** The beginning of a text without looks that fits into some columns; its end becomes `…`. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let fitted = ''
  let used = 0
  for (const grapheme of graphemesOf(text)) {
    used += widthOf(grapheme)
    if (used > columns - 1) break
    fitted += grapheme
  }
  return columns < 1 ? '' : `${fitted}…`
}
