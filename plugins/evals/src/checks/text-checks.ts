import type { CheckKind, ObservedTurn } from '../definition.ts'
import { quoted } from './label.ts'
import { compilePattern } from './pattern.ts'
import type { Verdict } from './verdict.ts'

type Kind<K extends CheckKind['kind']> = Extract<CheckKind, { readonly kind: K }>

const NO_TURN: Verdict = { passed: false, reason: 'no turn has ended' }

/** Whether the text is in the answer exactly as it is written. */
export function checkContains(
  { text, negated }: Kind<'contains'>,
  turn: ObservedTurn | undefined,
): Verdict {
  if (!turn) return NO_TURN
  const at = turn.text.indexOf(text)
  const passed = (at !== -1) !== negated
  if (at !== -1) return { passed, reason: `found in ${around(turn.text, at, text.length)}` }
  return { passed, reason: `not found in ${answerText(turn.text)}` }
}

/** Whether the pattern fits a part of the answer. */
export function checkMatches(
  { pattern, negated }: Kind<'matches'>,
  turn: ObservedTurn | undefined,
): Verdict {
  if (!turn) return NO_TURN
  const compiled = compilePattern(pattern)
  // A pattern that nothing can match would pass where it is negated.
  if (!compiled.ok)
    return { passed: false, reason: `the pattern cannot be used: ${compiled.error}` }
  const isFound = compiled.value(turn.text)
  const where = answerText(turn.text)
  return {
    passed: isFound !== negated,
    reason: isFound ? `it fits ${where}` : `it does not fit ${where}`,
  }
}

/** The answer for people. */
export const answerText = (text: string): string =>
  text.trim() === '' ? 'an empty answer' : quoted(text)

const MARGIN = 20

function around(text: string, at: number, length: number): string {
  const [start, end] = [Math.max(0, at - MARGIN), at + length + MARGIN]
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : '']
  return quoted(`${before}${text.slice(start, end)}${after}`)
}
