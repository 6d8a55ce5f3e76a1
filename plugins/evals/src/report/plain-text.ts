/**
 * Text of a model without what a terminal would obey, on one line and cut.
 *
 * @param text of anybody
 * @param most characters
 * @example plainLine('a\u001B[2Jb\nc') // 'a[2Jb c'
 */
export function plainLine(text: string, most = 300): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gv, '')
    .trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
