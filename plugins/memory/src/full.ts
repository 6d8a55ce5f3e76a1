import type { MemoryLimits } from './settings.ts'
import type { AddOutcome } from './tokens.ts'

/**
 * Whether one more note goes beyond a limit.
 *
 * @param chars of each note that is there
 * @param more characters of the new one
 */
export function fullOf(
  chars: readonly number[],
  more: number,
  { entries, totalChars }: MemoryLimits,
): Extract<AddOutcome, { readonly kind: 'full' }> | undefined {
  if (chars.length >= entries) return { kind: 'full', limit: entries, of: 'notes' }
  const total = chars.reduce((sum, one) => sum + one, more)
  return total > totalChars ? { kind: 'full', limit: totalChars, of: 'characters' } : undefined
}
