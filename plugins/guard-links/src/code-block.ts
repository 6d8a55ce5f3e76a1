/** A line that may open a block of code: at the very beginning of a line. */
const OPENS = /(?:(`{3,})[^`\r\n]{0,200}|(~{3,})[^\r\n]{0,200})\r?\n/y
/** Characters of such a line that are read. */
const LONGEST_LINE = 204
const BLANK_LINE_BEFORE = /\n[ \t]*\r?\n$/
const MAY_CLOSE = /^ {0,3}[`~]*[ \t]*$/

/**
 * A block of code that every reader takes for one: fenced, not indented, behind an empty line. HTML
 * in it is shown and not obeyed.
 */
export class CodeBlock {
  readonly #sign: string
  readonly #length: number
  #lineBegins = true

  private constructor(fence: string) {
    this.#sign = fence.charAt(0)
    this.#length = fence.length
  }

  /**
   * @param before what stands before the place
   * @returns the block and where its text begins; `wait`: its line has not ended
   */
  static at(
    text: string,
    place: number,
    before: string,
    over: boolean,
  ): { readonly block: CodeBlock; readonly from: number } | 'wait' | undefined {
    if (!BLANK_LINE_BEFORE.test(before)) return undefined
    OPENS.lastIndex = place
    const [, backticks, tildes] = OPENS.exec(text) ?? []
    const fence = backticks ?? tildes
    if (fence !== undefined) return { block: new CodeBlock(fence), from: OPENS.lastIndex }
    const goesOn = text.slice(place, place + LONGEST_LINE)
    return !over &&
      goesOn.length < LONGEST_LINE &&
      !/[\r\n]/.test(goesOn.replace(/\r$/, '')) &&
      /^(?:`{1,2}$|~{1,2}$|`{3}|~{3})/.test(goesOn)
      ? 'wait'
      : undefined
  }

  /** Up to where a text is of the block, and whether the block ends there. */
  upto(
    text: string,
    from: number,
    over: boolean,
  ): { readonly at: number; readonly ended: boolean } {
    for (let at = from; ;) {
      const end = endOfLine(text, at)
      const line = text.slice(at, end ?? text.length)
      if (this.#lineBegins && end !== undefined && this.#closes(line))
        return { at: end, ended: true }
      if (end === undefined) {
        if (!over && this.#lineBegins && MAY_CLOSE.test(line)) return { at, ended: false }
        if (line !== '') this.#lineBegins = false
        return { at: text.length, ended: false }
      }
      this.#lineBegins = true
      at = end + 1
    }
  }

  #closes(line: string): boolean {
    const own = line.trim()
    return (
      MAY_CLOSE.test(line) && own.length >= this.#length && own === this.#sign.repeat(own.length)
    )
  }
}

function endOfLine(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) if (text[at] === '\n' || text[at] === '\r') return at
  return undefined
}
