import { sentenceAround } from './around.ts'
import type { Columns } from './columns.ts'
import type { Span } from './finding.ts'
import { chainAt, type Group, standsAlone } from './numbers.ts'

/** Nine digits the Social Security Administration could have given out. */
const ISSUED = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/
const NAMED = /\bssns?\b|ss#|social[\s_-]*sec|\bsoc\.?\s?sec\b|\bsocial (?:is|was|number|no\b|#)|\bsocial\s*[:=]|seguro social/i

/** Social security numbers: by their shape where dashes join it, by what the text says of them where not. */
export function ssnsIn(text: string, groups: readonly Group[], columns: Columns): readonly Span[] {
  let named: boolean | undefined // asked once there is a number to ask it for
  return groups.flatMap(({ digits }, at) => {
    const chain = digits.length === 9 ? chainAt(groups, at, 1) : digits.length === 3 ? chainAt(groups, at, 3) : undefined
    if (!chain || !ISSUED.test(chain.digits) || (chain.shape !== '3-2-4' && chain.shape !== '9') || !standsAlone(text, chain)) return []
    if (chain.joint.includes('-')) return [chain]
    named ??= NAMED.test(text)
    return named && isNamed(text, chain, columns) ? [chain] : []
  })
}

function isNamed(text: string, span: Span, columns: Columns): boolean {
  const { before, after } = sentenceAround(text, span)
  const said = before.slice(before.search(/\d(?!.*\d)/s) + 1)
  if (NAMED.test(said)) return true
  // Behind the number it has to be a statement about it, not the name of the next field.
  const next = /^[^\d=:;|]*/.exec(after)?.[0] ?? ''
  if (NAMED.test(next) && !/^[=:]/.test(after.slice(next.length))) return true
  const head = columns.headOf(span)
  return head !== undefined && NAMED.test(head)
}
