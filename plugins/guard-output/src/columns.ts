import type { Span } from './finding.ts'

const CELL = /^[\s"'`*]*$/
const NUMBERS_ONLY = /^[\s"'`*\d-]*$/
const MARKS = ['|', '\t', ';', ',']

/** Finds the header of the column whose cell a number fills. */
export interface Heads {
  headOf(span: Span): string | undefined
}

/** A row, and where its cells begin in it. */
interface Row {
  readonly start: number
  readonly end: number
  readonly mark: string | undefined
  readonly cells: readonly number[]
  heads?: readonly string[]
}

/**
 * The tables of a text: Markdown, or rows parted by tabs, semicolons or commas. Each row is read
 * once, however many numbers stand in it, and its head is remembered, also where the text before it
 * is no longer there.
 */
export class Columns implements Heads {
  #text: string
  /** Characters of the whole text that stood before this part of it. */
  #shift = 0
  /** By the place of a row in the whole text: the head of the table that it belongs to. */
  readonly #heads = new Map<number, string>()
  #row: Row | undefined

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Goes on with another part of the same text, which begins behind `shift` characters of the
   * whole.
   */
  turnTo(text: string, shift: number): void {
    if (shift !== this.#shift)
      for (const start of this.#heads.keys()) if (start < shift) this.#heads.delete(start)
    this.#text = text
    this.#shift = shift
    this.#row = undefined
  }

  headOf({ start, end }: Span): string | undefined {
    const row = this.#rowAt(start)
    if (row.start + this.#shift === 0) return undefined
    const column = columnAt(row.cells, start)
    const cell = row.cells[column] ?? row.start
    const cellEnd = (row.cells[column + 1] ?? row.end + 1) - 1
    if (
      !CELL.test(this.#text.slice(cell, start)) ||
      !CELL.test(this.#text.slice(end, Math.max(end, cellEnd)))
    )
      return undefined
    row.heads ??= partsOf(this.#headAbove(row), row.mark)
    const head = row.heads[column]
    return head !== undefined && !/\d/.test(head) ? head : undefined
  }

  #rowAt(place: number): Row {
    if (this.#row && place >= this.#row.start && place <= this.#row.end) return this.#row
    const start = this.#text.lastIndexOf('\n', place - 1) + 1
    const line = this.#line(start)
    const mark = MARKS.find((one) => line.includes(one))
    const cells = [start]
    if (mark !== undefined)
      for (let at = line.indexOf(mark); at !== -1; at = line.indexOf(mark, at + 1))
        cells.push(start + at + 1)
    return (this.#row = { start, end: start + line.length, mark, cells })
  }

  /** The uppermost of the rows above that have as many columns. */
  #headAbove({ start, end, mark, cells }: Row): string {
    const passed: number[] = []
    let at = start
    // The row itself may have more columns than when it was last looked at, if its end is still to
    // come.
    let head: string | undefined
    while (head === undefined) {
      if (at !== start || end < this.#text.length) passed.push(at)
      // A search from before the text would look at its first sign, and find this row again.
      const before = at === 1 ? 0 : this.#text.lastIndexOf('\n', at - 2) + 1
      const above = at === 0 ? -1 : before
      if (above < 0 || !this.#isRow(above, mark, cells.length)) head = this.#line(at)
      else {
        at = above
        head =
          mark === undefined && !NUMBERS_ONLY.test(this.#line(at))
            ? this.#line(at)
            : this.#heads.get(at + this.#shift)
      }
    }
    for (const one of passed) this.#heads.set(one + this.#shift, head)
    return head
  }

  #isRow(start: number, mark: string | undefined, columns: number): boolean {
    const cells = partsOf(this.#line(start), mark)
    return cells.length === columns && cells.some((cell) => cell.trim() !== '')
  }

  #line(start: number): string {
    const end = this.#text.indexOf('\n', start)
    return this.#text.slice(start, end === -1 ? undefined : end)
  }
}

/** The last cell that begins at a place or before it. */
function columnAt(cells: readonly number[], place: number): number {
  let [low, high] = [0, cells.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((cells[middle] ?? Infinity) <= place) low = middle
    else high = middle - 1
  }
  return low
}

const partsOf = (line: string, mark: string | undefined): readonly string[] =>
  mark === undefined ? [line] : line.split(mark)
