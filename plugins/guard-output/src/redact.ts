import type { Finding } from './review.ts'

/** Replaces a text that may not leave. */
export const BLOCKED = '[withheld: this held restricted data]'

/** Replaces findings in a text by marks, or the whole text by a notice. */
export function redactFindings(text: string, findings: readonly Finding[]): string {
  if (findings.some(({ action }) => action === 'block')) return BLOCKED
  return redactPart(text, findings, 0, text.length)
}

/** A part of a text, with marks in place of what was found in it. */
export function redactPart(
  text: string,
  findings: readonly Finding[],
  from: number,
  upto: number,
): string {
  let out = ''
  let at = from
  for (const { start, end, action, replacement } of findings) {
    if (end <= at || start >= upto || action === 'warn') continue
    out += text.slice(at, Math.max(at, start)) + replacement
    at = Math.min(end, upto)
  }
  return out + text.slice(at, upto)
}
