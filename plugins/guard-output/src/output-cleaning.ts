import type { Json } from '@amodal/sdk'
import { filterLinks } from './loading/link-filter.ts'
import { contextOf, joined, mapLeaves } from './leaves.ts'
import type { Finding, Reader, Review } from './review.ts'
import { redactPart, redactFindings } from './redact.ts'

/** Redacts a text. */
export function cleanText(text: string, review: Review, reader: Reader): string {
  const findings = review.findings(text, reader)
  return findings.length === 0 ? text : redactFindings(text, findings)
}

/** The same for a text that a client may show as Markdown or HTML. */
export function readableText(text: string, review: Review, reader: Reader): string {
  const policy = review.linkPolicy(reader)
  const clean = cleanText(text, review, reader)
  return policy ? filterLinks(clean, policy) : clean
}

/** The same for each text and number of a value, with the name of its field as context. */
export function cleanValue<T extends Json>(value: T, review: Review, reader: Reader): T {
  if (review.findings(joined(value), reader).length === 0) return value
  return mapLeaves(value, (leaf, name) => {
    const text = String(leaf)
    const findings = findingsIn(text, name, review, reader)
    return findings.length === 0 ? leaf : redactFindings(text, findings)
  }) as T // of the same shape
}

/** Findings of a text in a field, as places in the text itself. */
export function findingsIn(
  text: string,
  name: string,
  review: Review,
  reader: Reader,
): readonly Finding[] {
  if (name === '') return review.findings(text, reader)
  const context = contextOf(name)
  const shift = context.length + 2
  return review
    .findings(`${context}: ${text}`, reader)
    .flatMap((one) =>
      one.end <= shift
        ? []
        : [{ ...one, start: Math.max(0, one.start - shift), end: one.end - shift }],
    )
}

/**
 * Replaces known values by their redaction handles; everything else is left for the guard to judge.
 */
export function withHandles(value: Json, review: Review, reader: Reader): Json {
  if (review.values(joined(value), reader).length === 0) return value
  return mapLeaves(value, (leaf) => {
    if (typeof leaf !== 'string') return leaf
    const findings = review
      .values(leaf, reader)
      .filter(({ stage, instead }) => stage === 'fields' && instead.startsWith('[redacted:'))
      .map((one) => ({ ...one, action: 'redact' as const }))
    return findings.length === 0 ? leaf : redactPart(leaf, findings, 0, leaf.length)
  })
}
