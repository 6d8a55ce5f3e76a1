import type { PreparedCall } from '@amodal/sdk'
import { chosenBy, type Chosen } from './chosen.ts'
import { normal } from './normal.ts'
import { originOf, type Origin } from './origin.ts'
import { namedBy } from './named.ts'
import { isTrustedValue, sourceOf } from './trusted-value.ts'
import type { Known } from './taint.ts'
import { copiedFrom, textsIn } from './copied-text.ts'
import { textOf } from './texts.ts'

/** Whether the conversation holds untrusted content. */
export const isTainted = ({ session, described }: Known): boolean =>
  !session.outside.isEmpty || !described.isEmpty

/** The origins of values that decide what a call does and come from no trusted source. */
export function originsOf(call: PreparedCall, known: Known): readonly Origin[] {
  const chosen = madeByModel(chosenBy(call), call)
  const strange = chosen.filter((one) => !isTrustedValue(one, known))
  if (strange.length > 0) return strange.map((one) => originOf(one, sourceOf(one.value, known)))
  return call.outer ? [] : dictated(call, chosen, known)
}

/**
 * Values that a tool's code adds to its inner calls are trusted; values from its arguments come
 * from the model.
 */
function madeByModel(chosen: readonly Chosen[], { outer }: PreparedCall): readonly Chosen[] {
  if (!outer) return chosen
  const given = normal(textOf(outer.args).replace(/\\["\\/]/g, (escaped) => escaped.slice(1)))
  return chosen.filter(({ value }) => given.includes(normal(String(value))))
}

/**
 * A call whose every value somebody has said can still be somebody else's idea: one that is named
 * in what came from outside, by its tool or by method and path, and whose values stand there too,
 * or that takes along what it says.
 */
function dictated(call: PreparedCall, chosen: readonly Chosen[], known: Known): readonly Origin[] {
  const named = namedBy(call, known)
  if (!named) return []
  const values = chosen
    .filter(({ field }) => field !== 'path')
    .map((one) => ({ one, source: sourceOf(one.value, known) }))
  const taken = textsIn(
    call.action?.body ?? (call.action ? null : call.args),
    call.action ? 'body' : 'args',
  ).flatMap(({ field, value }) => {
    const source = copiedFrom(value, known)
    return source ? [originOf({ field, value }, source)] : []
  })
  if (taken.length === 0 && values.some(({ source }) => source === undefined)) return []
  return [
    named,
    ...values.flatMap(({ one, source }) => (source ? [originOf(one, source)] : [])),
    ...taken,
  ]
}
