import { widthOf } from '../width.ts'
import type { LivePart } from './live-part.ts'

const ESC = '\u001b['

/**
 * Erases the part of the screen that changes after the terminal got narrower. Terminals break lines
 * anew then, so that it takes more rows than were drawn, and what draws them erases too few.
 *
 * @param columns of the terminal now
 * @returns what to write: the cursor stands as if the part had as many rows as before, all empty
 */
export function eraseReflowed({ lines, cursor }: LivePart, columns: number): string {
  const rowsOf = (line: string): number => Math.max(1, Math.ceil(widthOf(line) / columns))
  if (lines.every((line) => rowsOf(line) === 1)) return ''
  // without a cursor of its own, it stands below the last line
  const at = cursor?.y ?? lines.length
  const above = lines.slice(0, at).reduce((sum, line) => sum + rowsOf(line), 0)
  const inLine = cursor ? Math.floor(cursor.x / columns) : 0
  const up = above + inLine
  const down = lines.length - 1
  return (
    `${up > 0 ? `${ESC}${up}A` : ''}\r${ESC}J` +
    '\n'.repeat(down + 1) +
    (cursor ? `${ESC}${down + 1 - cursor.y}A` : '')
  )
}
