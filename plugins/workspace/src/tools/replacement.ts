import { err, ok, type Result } from '@amodal/sdk'

export interface Replacement {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Replaces a text: first exactly as it stands; where it is not found, without regard to line ends
 * and to spaces at the ends of lines. Indentation always counts.
 *
 * @returns why it is refused: the text is missing, or there several times
 */
export function replaceIn(
  text: string,
  replacement: Replacement,
): Result<{ readonly text: string; readonly count: number }, string> {
  const exact = exactSpans(text, replacement.old)
  const spans = exact.length > 0 ? exact : tolerantSpans(text, replacement.old)
  if (spans.length === 0) return err('the text to replace is not in the file')
  if (spans.length > 1 && !replacement.all)
    return err(
      `the text to replace is in the file ${spans.length} times: give more of its surroundings, or set replace_all`,
    )
  // New text gets the line ends of the file.
  const inserted = text.includes('\r\n')
    ? replacement.new.replace(/\r?\n/g, '\r\n')
    : replacement.new
  const pieces: string[] = []
  let at = 0
  for (const { start, end } of spans) {
    pieces.push(text.slice(at, start), inserted)
    at = end
  }
  return ok({ text: [...pieces, text.slice(at)].join(''), count: spans.length })
}

function exactSpans(text: string, old: string): readonly Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length))
    spans.push({ start: at, end: at + old.length })
  return spans
}

/** Whole lines that differ in nothing but spaces at their ends. */
function tolerantSpans(text: string, old: string): readonly Span[] {
  const endsLine = /\n$/.test(old)
  const wanted = linesOf(endsLine ? old.replace(/\r?\n$/, '') : old).map(({ line }) => line)
  if (wanted.every((line) => line === '')) return []
  const lines = linesOf(text)
  const spans: Span[] = []
  for (let at = 0; at + wanted.length <= lines.length;) {
    const last = lines[at + wanted.length - 1]
    if (last && wanted.every((line, offset) => lines[at + offset]?.line === line)) {
      spans.push({ start: lines[at]?.start ?? 0, end: endsLine ? last.next : last.end })
      at += wanted.length
    } else at += 1
  }
  return spans
}

/** Lines without the spaces at their ends, and where each begins, ends, and the next one begins. */
function linesOf(text: string): readonly {
  readonly line: string
  readonly start: number
  readonly end: number
  readonly next: number
}[] {
  let start = 0
  return text.split('\n').map((row) => {
    const content = row.endsWith('\r') ? row.slice(0, -1) : row
    const line = { line: content.trimEnd(), start, end: start + content.length }
    const next = Math.min(text.length, start + row.length + 1)
    start += row.length + 1
    return { ...line, next }
  })
}
