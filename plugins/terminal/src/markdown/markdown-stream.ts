import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { blockLines, bulletOf, itemLines } from './blocks.ts'
import type { Layout } from './layout.ts'
import { isKnown, spansOf } from './spans.ts'
import { columnWidths, tableWidth } from './table.ts'
import { wrap, type Line } from './wrap.ts'

/** What a text has brought since it was read last. */
export interface Progress {
  /** Lines that no later text changes. */
  readonly finished: readonly string[]
  /** Lines that may still change; none once the text is complete. */
  readonly open: readonly string[]
}

/** Up to where the source is finished, and what the source behind it continues. */
interface Place {
  readonly at: number
  /** Put before the rest, so that it is read as what it continues: a fence, a bullet, a header. */
  readonly prefix: string
  /** Type of the block that the rest continues, so that no empty line comes between. */
  readonly block?: string
  readonly widths?: readonly number[] | undefined
  /** Of the first item of the rest, where it continues an ordered list. */
  readonly number?: number | undefined
}

/** What of an open block is finished. */
interface Cut {
  readonly lines: readonly string[]
  /** Length of the source, with its prefix, that is finished. */
  readonly length: number
  readonly prefix: string
  readonly widths?: readonly number[]
  readonly number?: number
}

/**
 * Reads Markdown while it grows, and gives its lines as soon as they are finished: by block, and
 * within long blocks by line, row and item. Each character of the source is shown once.
 */
export class MarkdownStream {
  #place: Place = { at: 0, prefix: '' }
  #hasLines = false

  /** Length of the source whose lines are finished. */
  get finishedLength(): number {
    return this.#place.at
  }

  /**
   * @param text of the beginning on, longer than before
   * @param isComplete nothing follows
   */
  read(text: string, isComplete: boolean, layout: Layout): Progress {
    const finished: string[] = []
    const tokens = lexer(this.#place.prefix + text.slice(this.#place.at), { gfm: true })
    const count = isComplete ? tokens.length : finishedCount(tokens)
    for (const token of tokens.slice(0, count)) finished.push(...this.#finish(token, layout))
    const rest = tokens.slice(count)
    const at = rest.findIndex(({ type }) => type !== 'space')
    const first = rest[at]
    const cut =
      first && isKnown(first) ? cutOf(this.#numbered(first), layout, this.#place) : undefined
    if (!first || !cut) return { finished, open: this.#linesOf(rest, layout) }
    for (const space of rest.slice(0, at)) this.#finish(space, layout)
    finished.push(...this.#gap(first), ...cut.lines)
    const { length, ...place } = cut
    this.#move(length, { ...place, block: first.type })
    const source = this.#place.prefix + text.slice(this.#place.at)
    const isMore = source !== this.#place.prefix
    return { finished, open: isMore ? this.#linesOf(lexer(source, { gfm: true }), layout) : [] }
  }

  /** The lines of a token, with the empty line before it. Moves behind it. */
  #finish(token: Token, layout: Layout): readonly string[] {
    const lines = this.#tokenLines(token, layout)
    const { block } = this.#place
    const isSpace = token.type === 'space' && block !== undefined
    this.#move(token.raw.length, { prefix: '', ...(isSpace && { block }) })
    return lines
  }

  #tokenLines(token: Token, layout: Layout): readonly string[] {
    const { prefix, widths } = this.#place
    const continues = prefix !== '' && token.type === this.#place.block
    const lines = blockLines(isKnown(token) ? this.#numbered(token) : token, layout, {
      continues,
      widths,
    })
    return lines.length === 0 ? [] : [...this.#gap(token), ...lines]
  }

  /** An empty line before a block, unless it continues the one before. */
  #gap({ type }: Token): readonly string[] {
    const needed = this.#hasLines && type !== this.#place.block
    this.#hasLines = true
    return needed ? [''] : []
  }

  /** A list that continues counts on. */
  #numbered(token: MarkedToken): MarkedToken {
    const { block, number } = this.#place
    return token.type === 'list' && block === 'list' && token.ordered && number !== undefined
      ? { ...token, start: number }
      : token
  }

  #move(length: number, place: Omit<Place, 'at'>): void {
    const { at, prefix } = this.#place
    this.#place = { ...place, at: at + Math.max(0, length - prefix.length) }
  }

  /** Lines that may change, so that the place stays. */
  #linesOf(tokens: readonly Token[], layout: Layout): readonly string[] {
    const [place, hasLines] = [this.#place, this.#hasLines]
    const lines = tokens.flatMap((token) => {
      const own = this.#tokenLines(token, layout)
      if (own.length > 0) this.#place = { at: place.at, prefix: '' }
      return own
    })
    this.#place = place
    this.#hasLines = hasLines
    return lines
  }
}

/** Blocks that an empty line ends; others go on behind it. */
const ENDED_BY_SPACE: ReadonlySet<string> = new Set(['paragraph', 'heading', 'hr'])

/** The number of tokens that no later text changes. */
function finishedCount(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  const token = tokens[last]
  if (!token) return 0
  if (token.type === 'code') return isClosedFence(token.raw) ? last + 1 : last
  return last < tokens.length - 1 && ENDED_BY_SPACE.has(token.type) ? last + 1 : last
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/

function isClosedFence(raw: string): boolean {
  const mark = FENCE.exec(raw)?.[1]
  const closing = /\n {0,3}(`{3,}|~{3,})[^\S\n]*\n/.exec(raw)?.[1]
  return mark !== undefined && closing?.startsWith(mark) === true
}

/** What of a block that still grows is finished already. */
function cutOf(token: MarkedToken, layout: Layout, place: Place): Cut | undefined {
  switch (token.type) {
    case 'paragraph':
      return paragraphCut(token, layout)
    case 'code':
      return codeCut(token, layout)
    case 'list':
      return listCut(token, layout, place)
    case 'table':
      return tableCut(token, layout, place)
    default:
      return undefined
  }
}

function paragraphCut({ raw, tokens }: Tokens.Paragraph, layout: Layout): Cut | undefined {
  const lines = wrap(spansOf(tokens, 0), layout.columns, layout.paint)
  return lineCut(lines, raw, Math.min(openMark(raw), possibleHeader(raw)), '')
}

/**
 * The lines of a text that are finished: all but the last one, up to where the source may still
 * change what it means.
 *
 * @param limit of the source
 */
function lineCut(
  lines: readonly Line[],
  raw: string,
  limit: number,
  prefix: string,
): Cut | undefined {
  const at = lines.findLastIndex(
    ({ next }, index) =>
      next !== undefined &&
      index < lines.length - 1 &&
      next <= limit &&
      !BEGINS_BLOCK.test(raw.slice(next)),
  )
  const length = lines[at]?.next
  if (length === undefined) return undefined
  return { lines: lines.slice(0, at + 1).map(({ text }) => text), length, prefix }
}

/** What would be read as another block at the beginning of a line. */
const BEGINS_BLOCK = /^(?:[-+*>#|~`=<[]|\d+[.)]|\s|$)/

/** A mark that is open may be closed by what follows, if not too much has followed. */
const LONGEST_MARKED = 400

/**
 * Up to where no mark is open: emphasis, code, a link. A word that begins with an open mark may get
 * narrower, so that the line before it is not finished either.
 */
function openMark(raw: string): number {
  const from = Math.max(0, raw.length - LONGEST_MARKED)
  const opened = new Map<string, number>()
  for (const { 0: mark, index } of raw.slice(from).matchAll(MARKS)) {
    const at = from + index
    if (mark.endsWith('[')) opened.set('[', at)
    else if (mark === '](') opened.set('(', opened.get('[') ?? at)
    else if (mark === ')') ['(', '['].forEach((one) => opened.delete(one))
    else if (opened.has(mark) && mayClose(raw, at)) opened.delete(mark)
    else if (!opened.has(mark) && mayOpen(raw, at, mark)) opened.set(mark, at)
  }
  return Math.min(raw.length, ...[...opened.values()].map((at) => at - 1))
}

const MARKS = /`+|\*+|~~|_+|!?\[|\]\(|\)|&|\\$/g

const mayClose = (raw: string, at: number): boolean => /\S/.test(raw[at - 1] ?? ' ')

/** Not a sign such as in `2 * 3`, and not within a word such as `snake_case`. */
function mayOpen(raw: string, at: number, mark: string): boolean {
  if (mark.startsWith('`')) return true
  const [before, after] = [raw[at - 1] ?? ' ', raw[at + mark.length] ?? 'a']
  return /\S/.test(after) && !(mark.startsWith('_') && /\w/.test(before))
}

/** A line with `|` is the header of a table if a line of dashes follows. */
function possibleHeader(raw: string): number {
  const lines = raw.split('\n')
  const last = lines.at(-1) ?? ''
  const begin = raw.length - last.length
  if (!/^[\s|:-]*$/.test(last) || lines.length === 1)
    return last.includes('|') && last.length < LONGEST_MARKED ? begin : raw.length
  const before = lines.at(-2) ?? ''
  return before.includes('|') ? begin - before.length - 1 : raw.length
}

/** Lines of a code block whose fence is open; its last line is not complete. */
function codeCut({ raw }: Tokens.Code, layout: Layout): Cut | undefined {
  const fence = FENCE.exec(raw)?.[0]
  const length = raw.lastIndexOf('\n') + 1
  if (fence === undefined || length <= fence.length) return undefined
  const text = raw.slice(fence.length, length - 1)
  const lines = blockLines({ type: 'code', raw: text, text } satisfies Tokens.Code, layout)
  return { lines, length, prefix: fence }
}

/** Items before the last one, or else lines of the only one. */
function listCut(list: Tokens.List, layout: Layout, { prefix }: Place): Cut | undefined {
  const items = list.items.slice(0, -1)
  if (items.length > 0) {
    const lines = items.flatMap((item, at) =>
      itemLines(list, at, item, layout, prefix !== '' && at === 0),
    )
    const number = Number(list.start) + items.length
    return {
      lines,
      length: items.reduce((sum, { raw }) => sum + raw.length, 0),
      prefix: '',
      number,
    }
  }
  const item = list.items[0]
  return item && itemCut(list, item, layout, prefix !== '')
}

const MARKER = /^ {0,3}(?:[*+-]|\d+[.)]) +/

/** Lines of an item that is one text on one line of the source. */
function itemCut(
  list: Tokens.List,
  item: Tokens.ListItem,
  layout: Layout,
  continues: boolean,
): Cut | undefined {
  const marker = MARKER.exec(item.raw)?.[0]
  const [token, ...others] = item.tokens
  const isText = token && isKnown(token) && token.type === 'text' && others.length === 0
  if (marker === undefined || !isText || item.task || /\n./.test(item.raw)) return undefined
  const bullet = bulletOf(list, 0, item)
  const columns = Math.max(1, layout.columns - bullet.length)
  const spans = spansOf(token.tokens ?? [token], marker.length)
  const cut = lineCut(wrap(spans, columns, layout.paint), item.raw, openMark(item.raw), marker)
  if (!cut) return undefined
  const indent = ' '.repeat(bullet.length)
  const first = continues ? indent : layout.paint(bullet, 'dim')
  const number = Number(list.start)
  return { ...cut, number, lines: cut.lines.map((line, at) => (at === 0 ? first : indent) + line) }
}

/** Rows after which the columns of a table are settled. */
const SETTLING_ROWS = 5

/** Columns that are a little wider than the cells so far, for longer ones that follow. */
function roomyWidths(table: Tokens.Table, layout: Layout): readonly number[] {
  const widths = columnWidths(table, layout)
  if (widths.length === 0) return widths
  const free = layout.columns - tableWidth(widths)
  const more = Math.max(0, Math.min(ROOM, Math.floor(free / widths.length)))
  return widths.map((width) => width + more)
}

const ROOM = 8

/** Rows before the last one, once there are enough of them to settle the columns. */
function tableCut(table: Tokens.Table, layout: Layout, place: Place): Cut | undefined {
  const [header = '', dashes = '', ...rows] = table.raw.split('\n')
  const complete = rows.slice(0, -1).filter((row) => row.trim() !== '')
  const isSettled = place.widths !== undefined
  if (complete.length < (isSettled ? 1 : SETTLING_ROWS)) return undefined
  const finished = { ...table, rows: table.rows.slice(0, complete.length) }
  const widths = place.widths ?? roomyWidths(finished, layout)
  const prefix = `${header}\n${dashes}\n`
  return {
    lines: blockLines(finished, layout, { continues: isSettled, widths }),
    length: prefix.length + complete.reduce((sum, row) => sum + row.length + 1, 0),
    prefix,
    widths,
  }
}
