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

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[Math.floor(this.next() * from.length)] ?? from[0]
  }
}

/** `CHAOS_SEED`, to play a run again as far as the machine allows, or a new one. */
export function newRandom(): Random {
  const given = Number(process.env['CHAOS_SEED'])
  return new Random(Number.isInteger(given) && given > 0 ? given : Math.ceil(Math.random() * 1_000_000_000))
}
