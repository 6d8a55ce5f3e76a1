import { h } from './dom.ts'
import { inline } from './inline.ts'

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const QUOTE = /^ {0,3}> ?/
const MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])(?:\s+|$)/
const SEPARATOR = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/
const DEEPEST = 8

/**
 * Shows a text in Markdown: the part of it that conversations have. While the text grows only its
 * last block is built anew, so that what a reader has selected stays.
 */
export function showMarkdown(element: Element, text: string): void {
  const blocks = blocksOf(text.replaceAll('\r\n', '\n').split('\n'))
  const sources = sourcesOf.get(element) ?? []
  let same = 0
  while (same < sources.length && sources[same] === blocks[same]) same++
  while (element.childNodes.length > same) element.lastChild?.remove()
  for (const block of blocks.slice(same)) element.append(render(block, 0))
  sourcesOf.set(element, blocks)
}

/** What the children of an element were built from. */
const sourcesOf = new WeakMap<Element, readonly string[]>()

/** A text by its blocks, each as it is written. */
function blocksOf(lines: readonly string[]): readonly string[] {
  const blocks: string[] = []
  for (let at = 0; at < lines.length;) {
    const end = endOf(lines, at)
    const block = lines.slice(at, end).join('\n')
    if (block.trim() !== '') blocks.push(block)
    at = end
  }
  return blocks
}

const isBlank = (line = ''): boolean => line.trim() === ''
const isTable = (lines: readonly string[], at: number): boolean =>
  (lines[at] ?? '').includes('|') &&
  (lines[at + 1] ?? '').includes('-') &&
  SEPARATOR.test(lines[at + 1] ?? '')
const begins = (line: string): boolean =>
  [FENCE, HEADING, RULE, QUOTE, MARKER].some((pattern) => pattern.test(line))

/** The line after the block that begins at a line. */
function endOf(lines: readonly string[], begin: number): number {
  const line = lines[begin] ?? ''
  const fence = FENCE.exec(line)?.[1]
  const until = (isEnd: (line: string, at: number) => boolean): number => {
    let at = begin + 1
    while (at < lines.length && !isEnd(lines[at] ?? '', at)) at++
    return at
  }
  if (fence !== undefined) {
    const end = until((one) => one.trim().startsWith(fence) && isBlank(one.replace(/[`~]/g, '')))
    return Math.min(end + 1, lines.length)
  }
  if (isBlank(line) || HEADING.test(line) || RULE.test(line)) return begin + 1
  if (QUOTE.test(line)) return until((one) => !QUOTE.test(one))
  if (MARKER.test(line))
    return until((one, at) =>
      isBlank(one)
        ? !/^ {2,}\S/.test(lines[at + 1] ?? '') && !isSameList(line, lines[at + 1] ?? '')
        : !isSameList(line, one) && /^\S/.test(one) && (begins(one) || isBlank(lines[at - 1])),
    )
  if (isTable(lines, begin)) return until((one) => isBlank(one) || !one.includes('|'))
  return until((one, at) => isBlank(one) || begins(one) || isTable(lines, at))
}

const isOrdered = (line: string): boolean => /^\s*\d/.test(line)
const isSameList = (line: string, other: string): boolean =>
  MARKER.test(other) && !RULE.test(other) && isOrdered(line) === isOrdered(other)

function render(block: string, depth: number): Element {
  const lines = block.split('\n')
  const [line = ''] = lines
  if (depth > DEEPEST) return h('p', {}, block)
  if (FENCE.test(line)) return code(lines)
  if (HEADING.test(line)) return heading(line)
  if (RULE.test(line)) return h('hr')
  if (QUOTE.test(line)) return h('blockquote', {}, ...children(unquoted(lines), depth))
  if (MARKER.test(line)) return list(lines, depth)
  return isTable(lines, 0) ? table(lines) : h('p', {}, ...inline(block.trim()))
}

const unquoted = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(QUOTE, ''))

/** Below the heading of the panel, whatever levels the text skips. */
function heading(line: string): Element {
  const [, marks = '', title = ''] = HEADING.exec(line) ?? []
  return h('h3', { 'data-level': String(marks.length) }, ...inline(title))
}

const children = (lines: readonly string[], depth: number): readonly Element[] =>
  blocksOf(lines).map((block) => render(block, depth + 1))

function code(lines: readonly string[]): Element {
  const fence = FENCE.exec(lines[0] ?? '')?.[1] ?? ''
  const isClosed = lines.length > 1 && lines.at(-1)?.trim().startsWith(fence) === true
  const text = lines.slice(1, isClosed ? -1 : undefined).join('\n')
  return h('pre', { tabindex: '0', dir: 'ltr' }, h('code', {}, text))
}

function list(lines: readonly string[], depth: number): Element {
  const [begin = ''] = lines
  const items: string[][] = []
  let indent = 1
  for (const line of lines) {
    const [all, spaces = ''] = MARKER.exec(line) ?? []
    if (all !== undefined && isSameList(begin, line) && spaces.length < indent) {
      items.push([line.slice(all.length)])
      indent = all.trimEnd().length + 1
    } else items.at(-1)?.push(dedented(line, indent))
  }
  const isLoose = lines.some(isBlank)
  const entries = items.map((item) => entry(children(item, depth), isLoose))
  return isOrdered(begin)
    ? h('ol', { start: /\d+/.exec(begin)?.[0] }, ...entries)
    : h('ul', {}, ...entries)
}

/** In a list without empty lines, the text of an item is no paragraph. */
function entry(blocks: readonly Element[], isLoose: boolean): Element {
  const [first, ...rest] = blocks
  return first?.localName === 'p' && !isLoose
    ? h('li', {}, ...first.childNodes, ...rest)
    : h('li', {}, ...blocks)
}

const dedented = (line: string, indent: number): string =>
  line.slice(Math.min(indent, line.length - line.trimStart().length))

const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

function table([head = '', , ...rows]: readonly string[]): Element {
  const row = (line: string, cell: 'th' | 'td'): Element =>
    h('tr', {}, ...cellsOf(line).map((text) => h(cell, {}, ...inline(text))))
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': cellsOf(head).join(', ') },
    h(
      'table',
      {},
      h('thead', {}, row(head, 'th')),
      h('tbody', {}, ...rows.map((line) => row(line, 'td'))),
    ),
  )
}
