/** Rows of text in columns, under a line below their heads. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
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
