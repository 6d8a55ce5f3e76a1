import { sentenceAround } from './sentence.ts'
import type { Heads } from './columns.ts'
import type { Span } from './finding.ts'
import { chainAt, type Group, standsAlone } from './numbers.ts'

/** Nine digits the Social Security Administration could have given out. */
const ISSUED = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/
export const NAMES_SSN =
  /\bssns?\b|ss#|social[\s_-]*sec|\bsoc\.?\s?sec\b|\bsocial (?:is|was|number|no\b|#)|\bsocial\s*[:=]|seguro social/i

/**
 * Social security numbers: by their shape where dashes join it, by what the text says of them where
 * not.
 */
export function ssnsIn(
  text: string,
  groups: readonly Group[],
  columns: Heads,
  named: () => boolean,
): readonly Span[] {
  return groups.flatMap(({ digits }, at) => {
    if (digits.length !== 9 && digits.length !== 3) return []
    const chain = chainAt(groups, at, digits.length === 9 ? 1 : 3)
    if (
      !chain ||
      !ISSUED.test(chain.digits) ||
      (chain.shape !== '3-2-4' && chain.shape !== '9') ||
      !standsAlone(text, chain)
    )
      return []
    if (chain.joint.includes('-')) return [chain]
    return named() && isNamed(text, chain, columns) ? [chain] : []
  })
}

function isNamed(text: string, span: Span, columns: Heads): boolean {
  const { before, after } = sentenceAround(text, span)
  const said = before.slice(lastDigitOf(before) + 1)
  if (NAMES_SSN.test(said)) return true
  // Behind the number it has to be a statement about it, not the name of the next field.
  const next = /^[^\d=:;|]*/.exec(after)?.[0] ?? ''
  if (NAMES_SSN.test(next) && !/^[=:]/.test(after.slice(next.length))) return true
  const head = columns.headOf(span)
  return head !== undefined && NAMES_SSN.test(head)
}

function lastDigitOf(text: string): number {
  let at = text.length - 1
  while (at >= 0 && !/\d/.test(text.charAt(at))) at--
  return at
}
