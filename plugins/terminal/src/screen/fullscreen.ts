import type { Frame } from './chat-app.ts'
import type { LivePart } from './live-part.ts'
import type { Block } from './scrollback.ts'

/**
 * A frame for the whole screen, which has no scrollback: the finished lines above the part that
 * changes, as far as they fit.
 *
 * @param rows of the screen
 * @param scrolled lines that the person has scrolled back
 */
export function fullscreenFrame(
  blocks: readonly Block[],
  live: LivePart,
  rows: number,
  scrolled: number,
): Frame {
  const room = Math.max(0, rows - live.lines.length)
  const lines = linesAtEnd(blocks, room + scrolled)
  const back = Math.min(scrolled, Math.max(0, lines.length - room))
  const shown = lines.slice(Math.max(0, lines.length - room - back), lines.length - back)
  const above = [...Array.from({ length: room - shown.length }, () => ''), ...shown]
  return {
    blocks: [],
    live: {
      lines: [...above, ...live.lines],
      cursor: live.cursor && { x: live.cursor.x, y: live.cursor.y + above.length },
    },
  }
}

/** The last lines of the blocks, at least as many as are wanted where there are so many. */
function linesAtEnd(blocks: readonly Block[], wanted: number): readonly string[] {
  const lines: string[][] = []
  let count = 0
  for (let at = blocks.length - 1; at >= 0 && count < wanted; at--) {
    const own = (blocks[at]?.text ?? '').split('\n')
    count += own.length
    lines.unshift(own)
  }
  return lines.flat().slice(-wanted)
}
