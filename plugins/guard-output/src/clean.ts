import type { Json } from '@amodal/sdk'
import { mapLeaves } from './leaves.ts'
import { redactFindings, redactPart } from './redact.ts'
import type { Finding, Reader, Review } from './review.ts'

/** Redacts a text. */
export function cleanText(text: string, review: Review, reader: Reader): string {
  const findings = review.findings(text, reader)
  return findings.length === 0 ? text : redactFindings(text, findings)
}

/** The same for each text and number of a value, with the name of its field as a label. */
export function cleanValue<T extends Json>(value: T, review: Review, reader: Reader): T {
  return mapLeaves(value, (leaf, name) => {
    const text = String(leaf)
    const findings = findingsIn(text, name, review, reader)
    return findings.length === 0 ? leaf : redactFindings(text, findings)
  }) as T // of the same shape
}

/** Characters of a name that may say something of the value. */
const LONGEST_NAME = 160

/** Findings of a text in a field, as places of the text itself. */
export function findingsIn(
  text: string,
  name: string,
  review: Review,
  reader: Reader,
): readonly Finding[] {
  if (name === '') return review.findings(text, reader)
  const label = `${name.slice(-LONGEST_NAME)}: `
  return review
    .findings(label + text, reader)
    .flatMap((one) =>
      one.end <= label.length
        ? []
        : [{ ...one, start: Math.max(0, one.start - label.length), end: one.end - label.length }],
    )
}

/**
 * Replaces known values by their redaction handles; everything else is left for the guard to judge.
 */
export function withHandles(value: Json, review: Review, reader: Reader): Json {
  return mapLeaves(value, (leaf) => {
    if (typeof leaf !== 'string') return leaf
    const findings = review
      .values(leaf, reader)
      .filter(
        ({ stage, replacement }) => stage === 'fields' && replacement.startsWith('[redacted:'),
      )
      .map((one) => ({ ...one, action: 'redact' as const }))
    return findings.length === 0 ? leaf : redactPart(leaf, findings, 0, leaf.length)
  })
}
