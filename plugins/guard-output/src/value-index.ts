import type { RedactedValue } from '@amodal/sdk'
import { type TrackedValue, trackedValues } from './tracked-value.ts'

/** The tracked values with a beginning in common: those of the index from `from` up to `to`. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The redacted values of a session, in the order of their keys, so that those with one beginning
 * are neighbours.
 */
export class ValueIndex {
  #values: readonly TrackedValue[] = []
  readonly #names = new Set<string>()
  /** By the first and second character of keys. */
  readonly #pairs = new Map<number, Range>()
  readonly #firsts = new Set<number>()

  constructor(values: readonly RedactedValue[] = []) {
    this.add(values)
  }

  get isEmpty(): boolean {
    return this.#values.length === 0
  }

  has(value: RedactedValue): boolean {
    return this.#names.has(nameOf(value))
  }

  add(values: readonly RedactedValue[]): void {
    const added = values.filter((value) => {
      const isNew = !this.has(value)
      this.#names.add(nameOf(value))
      return isNew
    })
    if (added.length === 0) return
    this.#values = [...this.#values, ...added.flatMap(trackedValues)].sort(byKey)
    this.#pairs.clear()
    for (const [from, { key }] of this.#values.entries()) {
      const pair = pairOf(key.charCodeAt(0), key.charCodeAt(1))
      this.#pairs.set(pair, { from: this.#pairs.get(pair)?.from ?? from, to: from + 1 })
      this.#firsts.add(key.charCodeAt(0))
    }
  }

  /** Whether a value begins with a character. */
  beginsWith(code: number): boolean {
    return this.#firsts.has(code)
  }

  /** Values that begin with two characters. */
  startingWith(first: number, second: number): Range | undefined {
    return this.#pairs.get(pairOf(first, second))
  }

  /** Of values with `depth` characters in common those that go on with one more. */
  narrow({ from, to }: Range, depth: number, code: number): Range | undefined {
    const first = this.#bound(from, to, depth, code)
    const end = this.#bound(first, to, depth, code + 1)
    return first < end ? { from: first, to: end } : undefined
  }

  /** Values of a range that have so many characters and no more. */
  *complete({ from, to }: Range, length: number): Generator<TrackedValue> {
    for (let at = from; at < to; at++) {
      const value = this.#values[at]
      if (value?.key.length !== length) return
      yield value
    }
  }

  /** The first value whose character at `depth` is not below `code`; shorter values come first. */
  #bound(from: number, to: number, depth: number, code: number): number {
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >> 1
      const own = this.#values[middle]?.key.charCodeAt(depth) ?? 0
      if (Number.isNaN(own) || own < code) low = middle + 1
      else high = middle
    }
    return low
  }
}

const pairOf = (first: number, second: number): number => first * 0x1_0000 + second

function byKey({ key }: TrackedValue, { key: other }: TrackedValue): number {
  if (key === other) return 0
  return key < other ? -1 : 1
}

const nameOf = ({ value, entity, field, policy, roles }: RedactedValue): string =>
  JSON.stringify([value, entity, field, policy, roles])
