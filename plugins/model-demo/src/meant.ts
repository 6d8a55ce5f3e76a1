import type { Row } from './table.ts'
import { idsIn, isNegated, quotedIn, withoutOrder } from './values.ts'
import { mentionsOf, stemsOf, subjectsOf } from './words.ts'

/**
 * The rows a message speaks of, where it names an id, a quoted text or the value of a cell that
 * some rows have and others have not. Values of one column widen, columns narrow; what nothing
 * matches narrows nothing.
 *
 * @param said what the call was told already
 */
export function meant(
  rows: readonly Row[],
  text: string,
  said: readonly unknown[],
): readonly Row[] {
  const { exactly, inWords } = namesIn(text, said)
  const named = rows.filter((row) => Object.values(row).some(exactly))
  const start = named.length > 0 ? named : rows
  if (isNegated(text)) return start
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].reduce((left, column) => {
    const some = left.filter((row) => inWords(row[column]))
    return some.length > 0 ? some : left
  }, start)
}

/**
 * The one row that a message names, by a cell that is not to be changed; `undefined` where it names
 * none or several.
 *
 * @param changed columns that are to get another value
 */
export function theOne(
  rows: readonly Row[],
  text: string,
  changed: ReadonlySet<string>,
): Row | undefined {
  const { exactly, inWords } = namesIn(text, [])
  const kept = (row: Row): readonly unknown[] =>
    Object.entries(row)
      .filter(([column]) => !changed.has(column))
      .map(([, cell]) => cell)
  // The surest way in which any row is named decides.
  const ways = [
    (row: Row) => kept(row).some(exactly),
    (row: Row) => Object.values(row).some(exactly),
    (row: Row) => kept(row).some(inWords),
  ]
  const [one, another] = ways.map((way) => rows.filter(way)).find((named) => named.length > 0) ?? []
  return another === undefined ? one : undefined
}

function namesIn(
  text: string,
  said: readonly unknown[],
): Readonly<Record<'exactly' | 'inWords', (cell: unknown) => boolean>> {
  const exact = new Set([...idsIn(text), ...quotedIn(text)].map((value) => value.toLowerCase()))
  const spoken = mentionsOf(withoutOrder(text))
  const used = new Set(said.flatMap((value) => (typeof value === 'string' ? stemsOf(value) : [])))
  return {
    exactly: (cell) => typeof cell === 'string' && exact.has(cell.toLowerCase()),
    inWords(cell) {
      const words = typeof cell === 'string' ? subjectsOf(cell) : []
      return (
        words.length > 0 &&
        words.length <= 4 &&
        words.every((word) => spoken.has(word)) &&
        !words.every((word) => used.has(word))
      )
    },
  }
}
