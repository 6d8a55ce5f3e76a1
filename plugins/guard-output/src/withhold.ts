import type { Finding } from './review.ts'

/** Stands in the place of a text that may not leave. */
export const BLOCKED = '[withheld: this held restricted data]'

/** A text after what was found in it: marks in their places, or nothing but a notice. */
export function withhold(text: string, findings: readonly Finding[]): string {
  if (findings.some(({ action }) => action === 'block')) return BLOCKED
  return redacted(text, findings, 0, text.length)
}

/** A part of a text, with marks in place of what was found in it. */
export function redacted(
  text: string,
  findings: readonly Finding[],
  from: number,
  upto: number,
): string {
  let out = ''
  let at = from
  for (const { start, end, action, instead } of findings) {
    if (end <= at || start >= upto || action === 'warn') continue
    out += text.slice(at, Math.max(at, start)) + instead
    at = Math.min(end, upto)
  }
  return out + text.slice(at, upto)
}
