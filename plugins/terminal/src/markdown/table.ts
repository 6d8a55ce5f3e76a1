import type { Tokens } from 'marked'
import { widthOf } from '../width.ts'
import type { Continuation, Layout } from './layout.ts'
import { spansOf } from './spans.ts'
import { wrap } from './wrap.ts'

const GAP = '  '
/** Columns below which the cells of a column would be broken too often. */
const NARROWEST = 4

/**
 * A table whose cells wrap within their columns; where the screen is too narrow for its columns,
 * the cells of a row follow one another, each with its header.
 */
export function tableLines(
  table: Tokens.Table,
  layout: Layout,
  { continues, widths = columnWidths(table, layout) }: Continuation,
): readonly string[] {
  if (widths.length === 0)
    return table.rows.flatMap((row) => recordLines(table.header, row, layout))
  const header = continues
    ? []
    : [
        ...rowLines(table.header, widths, layout, true),
        layout.paint(widths.map((width) => '─'.repeat(width)).join(GAP), 'dim'),
      ]
  return [...header, ...table.rows.flatMap((row) => rowLines(row, widths, layout, false))]
}

/**
 * Columns of each column: what its longest cell takes; where that is too much, wide columns share
 * what the narrow ones do not need. None where the screen is too narrow for columns.
 */
export function columnWidths({ header, rows }: Tokens.Table, { columns }: Layout): number[] {
  const natural = header.map((cell, at) =>
    Math.max(
      1,
      ...[cell, ...rows.flatMap((row) => row[at] ?? [])].map(({ tokens }) =>
        widthOf(
          spansOf(tokens, undefined)
            .map(({ text }) => text)
            .join(''),
        ),
      ),
    ),
  )
  const available = columns - GAP.length * (natural.length - 1)
  const widths = natural.map(() => 0)
  let open = natural.map((_, at) => at)
  let free = available
  while (open.length > 0) {
    const share = Math.floor(free / open.length)
    const narrow = open.filter((at) => (natural[at] ?? 0) <= share)
    if (narrow.length === 0) {
      for (const at of open) widths[at] = share
      break
    }
    for (const at of narrow) {
      widths[at] = natural[at] ?? 0
      free -= natural[at] ?? 0
    }
    open = open.filter((at) => !narrow.includes(at))
  }
  const isSqueezed = widths.some((width, at) => width < Math.min(NARROWEST, natural[at] ?? 0))
  return isSqueezed ? [] : widths
}

/** Columns that a table takes. */
export const tableWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))

function rowLines(
  row: readonly Tokens.TableCell[],
  widths: readonly number[],
  { paint }: Layout,
  isHeader: boolean,
): readonly string[] {
  const cells = widths.map((width, at) => {
    const spans = spansOf(row[at]?.tokens ?? [], undefined, isHeader ? ['bold'] : [])
    return wrap(spans, width, paint).map(({ text }) => text)
  })
  const height = Math.max(1, ...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, at) => aligned(lines[line] ?? '', widths[at] ?? 0, row[at]?.align ?? null))
      .join(GAP)
      .trimEnd(),
  )
}

function aligned(text: string, width: number, align: Tokens.TableCell['align']): string {
  const free = Math.max(0, width - widthOf(text))
  if (align === 'right') return ' '.repeat(free) + text
  if (align !== 'center') return text + ' '.repeat(free)
  const before = Math.floor(free / 2)
  return ' '.repeat(before) + text + ' '.repeat(free - before)
}

function recordLines(
  header: readonly Tokens.TableCell[],
  row: readonly Tokens.TableCell[],
  { columns, paint }: Layout,
): readonly string[] {
  return row.flatMap((cell, at) => {
    const name = spansOf(header[at]?.tokens ?? [], undefined, ['bold'])
    const colon = { text: ': ', looks: ['bold' as const], at: undefined }
    const lines = wrap([...name, colon, ...spansOf(cell.tokens, undefined)], columns, paint)
    return lines.map(({ text }) => text)
  })
}
