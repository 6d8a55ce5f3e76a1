/** Everything the corpus leaves to chance, drawn from one seed: the same seed, the same corpus. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  digits(count: number): string
  shuffled<T>(list: readonly T[]): readonly T[]
}

/**
 * Mulberry32, seeded with the FNV-1a hash of `seed`, so that each part of the corpus has a stream
 * of its own.
 */
export function randomFrom(seed: string): Random {
  let state = 0x811c9dc5
  for (const char of seed) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193)

  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  const pick = <T>(list: readonly T[]): T => {
    const [chosen] = list.slice(between(0, list.length - 1))
    if (chosen === undefined) throw new RangeError('nothing to pick from')
    return chosen
  }
  const shuffled = <T>(list: readonly T[]): readonly T[] =>
    list
      .map((item) => ({ item, at: next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  return {
    between,
    pick,
    shuffled,
    chance: (probability) => next() < probability,
    digits: (count) => Array.from({ length: count }, () => between(0, 9)).join(''),
  }
}
