import { createHash } from 'node:crypto'

/** Random numbers that come again with their seed (mulberry32). */
export class Random {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from `least` to `most`. */
  within(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[Math.floor(this.next() * from.length)] ?? from[0]
  }

  /** At most so many of these, in their order. */
  sample<T>(from: readonly T[], most: number): readonly T[] {
    const ranked = from.map((item, index) => ({ item, index, rank: this.next() }))
    return ranked
      .sort((one, other) => one.rank - other.rank)
      .slice(0, most)
      .sort((one, other) => one.index - other.index)
      .map(({ item }) => item)
  }

  /**
   * Numbers of its own for somebody who draws beside others: what these draw does not depend on who
   * comes first.
   */
  branch(name: string): Random {
    return new Random(createHash('sha256').update(`${this.seed} ${name}`).digest().readUInt32LE())
  }
}

/** Of every run but those with `--all`, which draw a new one. */
const FIXED_SEED = 20_261_126

/** `npm test -- --all`: whole matrices instead of a sample of them. */
export const isWhole = (): boolean => process.env['AMODAL_TEST_ALL'] === '1'

/** `AMODAL_SEED`, or a fixed seed, or a new one with `--all`. */
export function newRandom(): Random {
  const given = Number(process.env['AMODAL_SEED'])
  if (Number.isInteger(given) && given > 0) return new Random(given)
  return new Random(isWhole() ? Math.ceil(Math.random() * 1_000_000_000) : FIXED_SEED)
}
