import type { Line } from './markdown-sections.ts'

/** An item of a list: its lines without the bullet and without its indentation. */
export interface ListItem {
  readonly line: number
  readonly lines: readonly string[]
}

/** The items of the lists in some lines, and the lines that belong to none. */
export interface ListItems {
  readonly items: readonly ListItem[]
  readonly others: readonly Line[]
}

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(\S.*)$/

/** An item that is still read; its lines are indented as much as its first one. */
interface OpenItem {
  readonly line: number
  readonly lines: string[]
  readonly indent: number
}

/**
 * Finds the items of bulleted and numbered lists. Wrapped lines and lists within an item belong to
 * it.
 *
 * @example listItems([{ text: '1. one', line: 7 }]).items // [{ line: 7, lines: ['one'] }]
 */
export function listItems(lines: readonly Line[]): ListItems {
  const items: OpenItem[] = []
  const others: Line[] = []
  let isAfterBlank = true
  for (const one of lines) {
    const current = items.at(-1)
    const next = itemAt(one, items[0])
    if (next) items.push(next)
    else if (!current || !addLine(current, one.text, isAfterBlank)) others.push(one)
    isAfterBlank = one.text.trim() === ''
  }
  return {
    items: items.map(({ line, lines: own }) => ({ line, lines: trimmed(own) })),
    others: others.filter(({ text }) => text.trim() !== ''),
  }
}

/** The item that begins with a line; what is further in than the first one lies within another. */
function itemAt({ text, line }: Line, first: OpenItem | undefined): OpenItem | undefined {
  const [, margin = '', bullet = '', space = '', content = ''] = ITEM.exec(text) ?? []
  if (bullet === '' || (first && margin.length >= first.indent)) return undefined
  // More spaces are the content's own: it would be code.
  const indent = margin.length + bullet.length + (space.length > 4 ? 1 : space.length)
  return { line, lines: [content], indent }
}

/** Whether a line belongs to the item: behind an empty one, it has to be indented. */
function addLine(item: OpenItem, text: string, isAfterBlank: boolean): boolean {
  const depth = text.length - text.trimStart().length
  const isBlank = text.trim() === ''
  if (isAfterBlank && !isBlank && depth < item.indent) return false
  item.lines.push(isBlank ? '' : text.slice(Math.min(item.indent, depth)))
  return true
}

function trimmed(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== '')
  return lines.slice(0, last + 1)
}

/** The item as a text: wrapped lines are one, and lists within it keep their lines. */
export const itemText = ({ lines }: ListItem): string =>
  lines.reduce((text, line) => {
    if (text === '') return line.trim()
    return line === '' || ITEM.test(line) ? `${text}\n${line.trimEnd()}` : `${text} ${line.trim()}`
  }, '')
