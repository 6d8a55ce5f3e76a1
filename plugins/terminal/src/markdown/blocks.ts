import type { MarkedToken, Token, Tokens } from 'marked'
import type { Look } from '../paint.ts'
import type { Continuation, Layout } from './layout.ts'
import { isKnown, spansOf, type Span } from './spans.ts'
import { tableLines } from './table.ts'
import { wrap } from './wrap.ts'

const NEW: Continuation = { continues: false }

/** The lines of a block. A block that shows nothing has none. */
export function blockLines(
  token: Token,
  layout: Layout,
  continuation: Continuation = NEW,
): readonly string[] {
  if (!isKnown(token)) return []
  switch (token.type) {
    case 'code':
      return continuation.continues && token.text === '' ? [] : codeLines(token.text, layout)
    case 'list':
      return listLines(token, layout, continuation.continues)
    case 'table':
      return tableLines(token, layout, continuation)
    case 'blockquote': {
      const { columns, paint } = layout
      const bar = paint('│ ', 'dim')
      return blocksLines(token.tokens, inset(layout, columns, 2)).map((line) => bar + line)
    }
    default:
      return textLines(token, layout)
  }
}

/** The lines of several blocks, with an empty line between them. */
export function blocksLines(
  tokens: readonly Token[],
  layout: Layout,
  separator: readonly string[] = [''],
): readonly string[] {
  return tokens
    .map((token) => blockLines(token, layout))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : [...separator, ...lines]))
}

function textLines(token: MarkedToken, { columns, paint }: Layout): readonly string[] {
  const lines = (spans: readonly Span[]): readonly string[] =>
    wrap(spans, columns, paint).map(({ text }) => text)
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading':
      return lines(spansOf(token.tokens, undefined, headingLooks(token.depth)))
    case 'paragraph':
      return lines(spansOf(token.tokens, undefined))
    case 'text':
      return lines(spansOf(token.tokens ?? [token], undefined))
    case 'hr':
      return [paint('─'.repeat(columns), 'dim')]
    case 'html':
      return lines([{ text: token.text.trimEnd(), looks: [], at: undefined }])
    default:
      return lines([{ text: token.raw, looks: [], at: undefined }])
  }
}

const headingLooks = (depth: number): readonly Look[] =>
  depth === 1 ? ['bold', 'underline'] : ['bold']

const INDENT = '  '

/** Code is broken where the screen ends, not at spaces: they are part of it. */
export function codeLines(code: string, { columns, paint }: Layout): readonly string[] {
  const width = Math.max(1, columns - INDENT.length)
  return code
    .split('\n')
    .flatMap((line) =>
      line.trim() === ''
        ? ['']
        : wrap([{ text: unbroken(line), looks: ['code'], at: undefined }], width, paint).map(
            ({ text }) => INDENT + text.replaceAll('\u00a0', ' '),
          ),
    )
}

/** Spaces that do not end a line. */
const unbroken = (line: string): string => line.replaceAll('\t', '    ').replaceAll(' ', '\u00a0')

function listLines(list: Tokens.List, layout: Layout, continues: boolean): readonly string[] {
  return list.items.flatMap((item, at) => itemLines(list, at, item, layout, continues && at === 0))
}

/** The lines of an item of a list. */
export function itemLines(
  list: Tokens.List,
  at: number,
  item: Tokens.ListItem,
  layout: Layout,
  continues: boolean,
): readonly string[] {
  const bullet = bulletOf(list, at, item)
  const indent = ' '.repeat(bullet.length)
  const content = item.tokens.filter(({ type }) => type !== 'checkbox')
  const lines = blocksLines(content, inset(layout, layout.columns, bullet.length), [])
  const first = continues ? indent : layout.paint(bullet, 'dim')
  return (lines.length === 0 ? [''] : lines).map(
    (line, index) => (index === 0 ? first : indent) + line,
  )
}

export function bulletOf(list: Tokens.List, at: number, item: Tokens.ListItem): string {
  const box = item.checked === true ? '[x] ' : '[ ] '
  const marker = list.ordered ? `${Number(list.start) + at}. ` : '• '
  return item.task ? marker + box : marker
}

const inset = (layout: Layout, columns: number, by: number): Layout => ({
  ...layout,
  columns: Math.max(1, columns - by),
})
