import type { Random } from './random.ts'

export type Split = 'tune' | 'held'

/**
 * Holds back a fifth of the lines: those of unseen templates first, and a draw of the others.
 *
 * @returns the lines in a drawn order, numbered from 1
 */
export function numbered<T extends { readonly unseen: boolean }>(
  prefix: string,
  lines: readonly T[],
  random: Random,
): readonly { readonly id: string; readonly split: Split; readonly line: T }[] {
  const drawn = random.shuffled(lines)
  const held = new Set(
    [...drawn.filter(({ unseen }) => unseen), ...drawn.filter(({ unseen }) => !unseen)].slice(
      0,
      Math.round(lines.length / 5),
    ),
  )
  return random.shuffled(drawn).map((line, index) => ({
    id: `${prefix}-${String(index + 1).padStart(4, '0')}`,
    split: held.has(line) ? 'held' : 'tune',
    line,
  }))
}
