import type { Span } from './finding.ts'

const CELL = /^[\s"'`*]*$/
const NUMBERS_ONLY = /^[\s"'`*\d-]*$/
const MARKS = ['|', '\t', ';', ',']

/** The tables of a text: Markdown, or rows parted by tabs, semicolons or commas. Each row is looked at once. */
export class Columns {
  readonly #text: string
  /** Where the head stands of the table that the row at a place belongs to. */
  readonly #heads = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** The head of the column that a number fills a cell of. */
  headOf({ start, end }: Span): string | undefined {
    const rowStart = this.#text.lastIndexOf('\n', start - 1) + 1
    if (rowStart === 0) return undefined
    const row = this.#line(rowStart)
    const mark = MARKS.find((one) => row.includes(one))
    const before = partsOf(this.#text.slice(rowStart, start), mark)
    const column = before.length - 1
    if (!CELL.test(before[column] ?? '') || !CELL.test(partsOf(row.slice(end - rowStart), mark)[0] ?? '')) return undefined
    const head = partsOf(this.#line(this.#headAbove(rowStart, mark, partsOf(row, mark).length)), mark)[column]
    return head !== undefined && !/\d/.test(head) ? head : undefined
  }

  /** The uppermost of the rows above that have as many columns. */
  #headAbove(rowStart: number, mark: string | undefined, columns: number): number {
    const passed: number[] = []
    let at = rowStart
    let head = this.#heads.get(at)
    while (head === undefined) {
      passed.push(at)
      const above = at === 0 ? -1 : this.#text.lastIndexOf('\n', at - 2) + 1
      if (above < 0 || !this.#isRow(above, mark, columns)) head = at
      else {
        at = above
        head = mark === undefined && !NUMBERS_ONLY.test(this.#line(at)) ? at : this.#heads.get(at)
      }
    }
    for (const one of passed) this.#heads.set(one, head)
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

const partsOf = (line: string, mark: string | undefined): readonly string[] => (mark === undefined ? [line] : line.split(mark))
