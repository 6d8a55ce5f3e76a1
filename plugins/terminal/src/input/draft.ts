import { graphemesOf, widthOf } from '../width.ts'

/** A message that a person types, and where the cursor stands in it. */
export interface Draft {
  readonly text: string
  /** From 0 to the length of the text, never within a character. */
  readonly cursor: number
}

export const EMPTY: Draft = { text: '', cursor: 0 }

/** What a key does to a draft. */
export type Edit =
  | 'backspace'
  | 'delete'
  | 'delete-word'
  | 'delete-to-start'
  | 'delete-to-end'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'up'
  | 'down'

/** The draft with a text at the cursor. */
export const insert = ({ text, cursor }: Draft, more: string): Draft => ({
  text: text.slice(0, cursor) + more + text.slice(cursor),
  cursor: cursor + more.length,
})

/** @returns the same draft where the edit changes nothing, such as `up` on the first line */
export function edited(draft: Draft, edit: Edit): Draft {
  switch (edit) {
    case 'backspace':
      return without(draft, previous(draft), draft.cursor)
    case 'delete':
      return without(draft, draft.cursor, following(draft))
    case 'delete-word':
      return without(draft, wordStart(draft), draft.cursor)
    case 'delete-to-start':
      return without(draft, lineStart(draft), draft.cursor)
    case 'delete-to-end':
      return without(draft, draft.cursor, lineEnd(draft))
    default:
      return moved(draft, targetOf(draft, edit))
  }
}

type Move = Exclude<
  Edit,
  'backspace' | 'delete' | 'delete-word' | 'delete-to-start' | 'delete-to-end'
>

function targetOf(draft: Draft, move: Move): number {
  switch (move) {
    case 'left':
      return previous(draft)
    case 'right':
      return following(draft)
    case 'word-left':
      return wordStart(draft)
    case 'word-right':
      return wordEnd(draft)
    case 'line-start':
      return lineStart(draft)
    case 'line-end':
      return lineEnd(draft)
    case 'up':
      return above(draft)
    case 'down':
      return below(draft)
    default:
      return move satisfies never
  }
}

const moved = (draft: Draft, cursor: number): Draft =>
  cursor === draft.cursor ? draft : { text: draft.text, cursor }

const without = (draft: Draft, from: number, to: number): Draft =>
  from === to ? draft : { text: draft.text.slice(0, from) + draft.text.slice(to), cursor: from }

const previous = ({ text, cursor }: Draft): number =>
  cursor - (graphemesOf(text.slice(0, cursor)).at(-1)?.length ?? 0)

const following = ({ text, cursor }: Draft): number =>
  cursor + (graphemesOf(text.slice(cursor))[0]?.length ?? 0)

const wordStart = ({ text, cursor }: Draft): number =>
  cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0)

const wordEnd = ({ text, cursor }: Draft): number =>
  cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0)

const lineStart = ({ text, cursor }: Draft): number => text.lastIndexOf('\n', cursor - 1) + 1

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

function above(draft: Draft): number {
  const start = lineStart(draft)
  if (start === 0) return draft.cursor
  const before = lineStart({ text: draft.text, cursor: start - 1 })
  return Math.min(before + (draft.cursor - start), start - 1)
}

function below(draft: Draft): number {
  const end = lineEnd(draft)
  if (end === draft.text.length) return draft.cursor
  const column = draft.cursor - lineStart(draft)
  return Math.min(end + 1 + column, lineEnd({ text: draft.text, cursor: end + 1 }))
}

/** A draft as it stands on the screen. */
export interface DraftView {
  readonly rows: readonly string[]
  /** Row and column of the cursor. */
  readonly y: number
  readonly x: number
}

/**
 * The rows of a draft around its cursor.
 *
 * @param columns of a row, 2 or more
 * @param height rows at most, 1 or more
 */
export function draftView({ text, cursor }: Draft, columns: number, height: number): DraftView {
  const rows: string[] = ['']
  let [x, y] = [0, 0]
  let [column, at] = [0, 0]
  const place = (): void => {
    if (at === cursor) [x, y] = [column, rows.length - 1]
  }
  for (const grapheme of graphemesOf(text)) {
    const width = grapheme === '\n' ? 0 : widthOf(grapheme)
    if (column + width >= columns) {
      rows.push('')
      column = 0
    }
    place()
    at += grapheme.length
    if (grapheme === '\n') {
      rows.push('')
      column = 0
      continue
    }
    rows[rows.length - 1] += grapheme === '\t' ? ' ' : grapheme
    column += width
  }
  place()
  const first = Math.max(0, Math.min(y - height + 1, rows.length - height), y - height + 1)
  return { rows: rows.slice(first, first + height), y: y - first, x }
}
