import type { Look, Paint } from '../paint.ts'
import { graphemesOf, widthOf } from '../width.ts'
import type { Span } from './spans.ts'

/** A line of the screen. */
export interface Line {
  /** With its looks. */
  readonly text: string
  /** Where the next line begins in the source, where that is known. */
  readonly next: number | undefined
}

interface Piece {
  readonly text: string
  readonly looks: readonly Look[]
  readonly width: number
  readonly at: number | undefined
}

/** What is not divided unless it is longer than a line: pieces without a space between them. */
interface Word {
  readonly pieces: Piece[]
  /** Spaces before it. */
  readonly space: string
  width: number
  /** Line feeds before it. */
  readonly feeds: number
}

/**
 * Breaks text into lines at spaces, as late as possible; a word that is longer than a line is
 * divided. Line feeds of the text stay.
 *
 * @param columns of a line, 1 or more
 */
export function wrap(spans: readonly Span[], columns: number, paint: Paint): readonly Line[] {
  const lines: Line[] = []
  let pieces: Piece[] = []
  let used = 0
  const feed = (next: number | undefined): void => {
    lines.push({ text: painted(pieces, paint), next })
    pieces = []
    used = 0
  }
  for (const word of wordsOf(spans)) {
    const at = word.pieces[0]?.at
    for (let feeds = word.feeds; feeds > 0; feeds--) feed(feeds === 1 ? at : undefined)
    const isFirst = pieces.length === 0
    if (!isFirst && used + word.space.length + word.width > columns) feed(at)
    else if (word.space !== '' && !isFirst) {
      pieces.push({ text: word.space, looks: [], width: word.space.length, at: undefined })
      used += word.space.length
    }
    for (const piece of dividedInto(word.pieces, columns)) {
      if (used > 0 && used + piece.width > columns && piece.isCut) feed(piece.at)
      pieces.push(piece)
      used += piece.width
    }
  }
  lines.push({ text: painted(pieces, paint), next: undefined })
  return lines
}

function wordsOf(spans: readonly Span[]): readonly Word[] {
  const words: Word[] = []
  let space = ''
  let feeds = 0
  let isOpen = false
  for (const { text, looks, at } of spans) {
    for (const match of text.matchAll(/(\n)|([^\S\n\u00a0]+)|((?:[^\s]|\u00a0)+)/g)) {
      const [part, feed, gap] = match
      if (feed !== undefined) [space, feeds, isOpen] = ['', feeds + 1, false]
      else if (gap !== undefined) [space, isOpen] = [gap.replaceAll('\t', '  '), false]
      else {
        const piece = {
          text: part,
          looks,
          width: widthOf(part),
          at: at === undefined ? undefined : at + match.index,
        }
        const open = isOpen ? words.at(-1) : undefined
        if (open) {
          open.pieces.push(piece)
          open.width += piece.width
        } else words.push({ pieces: [piece], space, width: piece.width, feeds })
        ;[space, feeds, isOpen] = ['', 0, true]
      }
    }
  }
  return words
}

/** The pieces of a word, cut where they are longer than a line. */
function* dividedInto(
  pieces: readonly Piece[],
  columns: number,
): Generator<Piece & { readonly isCut: boolean }, void, undefined> {
  const isLong = pieces.reduce((sum, { width }) => sum + width, 0) > columns
  for (const piece of pieces) {
    if (!isLong) {
      yield { ...piece, isCut: false }
      continue
    }
    let offset = 0
    let [text, width] = ['', 0]
    const cut = (): Piece & { readonly isCut: boolean } => ({
      ...piece,
      text,
      width,
      at: piece.at === undefined ? undefined : piece.at + offset,
      isCut: true,
    })
    for (const grapheme of graphemesOf(piece.text)) {
      const more = widthOf(grapheme)
      if (width + more > columns && text !== '') {
        yield cut()
        offset += text.length
        ;[text, width] = ['', 0]
      }
      text += grapheme
      width += more
    }
    if (text !== '') yield cut()
  }
}

/** Pieces that look the same are painted together. */
function painted(pieces: readonly Piece[], paint: Paint): string {
  let line = ''
  let run = ''
  let looks: readonly Look[] = []
  const flush = (): void => {
    line += run === '' ? '' : paint(run, ...looks)
    run = ''
  }
  pieces.forEach((piece, at) => {
    const following = pieces[at + 1]
    const isSpace = piece.text.trim() === '' && following !== undefined
    const wanted = isSpace && areEqual(looks, following.looks) ? looks : piece.looks
    if (!areEqual(looks, wanted)) flush()
    looks = wanted
    run += piece.text
  })
  flush()
  return line
}

const areEqual = (one: readonly Look[], other: readonly Look[]): boolean =>
  one.length === other.length && one.every((look, at) => look === other[at])
