import { ellipsis } from '@amodal/sdk/data'

export type Row = Readonly<Record<string, unknown>>

const CELL_CHARS = 60

const rowsIn = (value: unknown): readonly Row[] =>
  Array.isArray(value) ? (value as readonly Row[]) : [] // answers of our own routes
const text = (value: unknown): string =>
  typeof value === 'string' && value !== ''
    ? ellipsis(value.replaceAll(/\s+/g, ' '), CELL_CHARS)
    : '—'
const minutes = (value: unknown): string =>
  typeof value === 'string' ? `${value.slice(0, 16).replace('T', ' ')} UTC` : '—'

/** A list of feedback as a table. */
export function feedbackLines(answer: Row): readonly string[] {
  const lines = table(
    ['Given', 'Rating', 'Reasons', 'Comment', 'Question', 'Session'],
    rowsIn(answer['feedback']).map((one) => [
      minutes(one['at']),
      text(one['rating']),
      text(Array.isArray(one['categories']) ? one['categories'].join(', ') : ''),
      text(one['comment']),
      text(one['question']),
      String(one['session_id']),
    ]),
  )
  return answer['next_cursor'] === null
    ? lines
    : [...lines, 'There is more: ask with --limit or --to, or export it']
}

/** Counts of feedback as tables. */
export function statsLines(answer: Row): readonly string[] {
  const counted = (head: string, name: string, rows: unknown): readonly string[] =>
    table(
      [head, 'Up', 'Down'],
      rowsIn(rows).map((one) => [String(one[name]), String(one['up']), String(one['down'])]),
    )
  return [
    ...counted('All', 'all', [{ all: String(answer['total']), ...Object(answer['ratings']) }]),
    '',
    ...counted('Reason', 'category', answer['categories']),
    '',
    ...counted('Day', 'day', answer['days']),
  ]
}

/** Rows of text in columns, under a line below their heads. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(heads), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)]
}
