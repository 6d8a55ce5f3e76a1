import type { Span } from './finding.ts'

const LEAST = 8
const GRAM = 6
/** Bytes that may stand before a value in the group of three that it begins in. */
const WAYS = [0, 1, 2] as const
/**
 * The first sign that says nothing of the bytes before, and how many say nothing of those behind.
 */
const firstOf = (before: number): number => Math.ceil((before * 8) / 6)
const lengthOf = (bytes: number, before: number): number =>
  Math.floor(((before + bytes) * 8) / 6) - firstOf(before)

/**
 * Looks for values in base64 of which the first or last sign is lost, so that no decoder reads
 * their first or last character: whatever stands before a value, its bytes are written in one of
 * three ways, but for a sign at either end.
 */
export class Fragments<T> {
  readonly #grams = new Map<string, { readonly text: string; readonly of: T }[]>()
  /** Prepared when a text first has something that they could be in. */
  #waiting: (readonly [value: string, of: T])[] = []
  /** Signs of the shortest of them. */
  #shortest = Infinity

  add(value: string, of: T): void {
    this.#waiting.push([value, of])
    for (const before of WAYS)
      this.#shortest = Math.min(
        this.#shortest,
        Math.max(LEAST, lengthOf(Buffer.byteLength(value), before)),
      )
  }

  #prepare(): void {
    for (const [value, of] of this.#waiting) this.#index(value, of)
    this.#waiting = []
  }

  #index(value: string, of: T): void {
    const bytes = Buffer.from(value)
    for (const before of WAYS) {
      const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
      const first = firstOf(before)
      const text = whole.slice(first, first + lengthOf(bytes.length, before))
      if (text.length < LEAST) continue
      const same = this.#grams.get(text.slice(0, GRAM))
      if (same) same.push({ text, of })
      else this.#grams.set(text.slice(0, GRAM), [{ text, of }])
    }
  }

  find(runs: readonly Run[]): readonly (Span & { readonly of: T })[] {
    const found: (Span & { readonly of: T })[] = []
    for (const { text: run, index } of runs) {
      if (run.length < this.#shortest) continue
      if (this.#waiting.length > 0) this.#prepare()
      const plain = run.replaceAll('-', '+').replaceAll('_', '/')
      for (let at = 0; at + LEAST <= plain.length; at++) {
        for (const one of this.#grams.get(plain.slice(at, at + GRAM)) ?? []) {
          if (plain.startsWith(one.text, at))
            found.push({ start: index + at, end: index + at + one.text.length, of: one.of })
        }
      }
    }
    return found
  }
}

/** A run of the signs of base64, with the padding behind it. */
export interface Run {
  readonly text: string
  readonly index: number
}

const LEAST_RUN = 8
/**
 * What a sign of base64 is, by its code: a small letter, a digit, a capital or one of the others.
 */
const SMALL = 1,
  DIGIT = 2,
  CAPITAL = 4,
  OTHER = 8
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  if (/[a-z]/.test(sign)) return SMALL
  if (/\d/.test(sign)) return DIGIT
  if (/[A-Z]/.test(sign)) return CAPITAL
  return /[_+/-]/.test(sign) ? OTHER : 0
})

/**
 * Runs as bytes of text are in base64, and few words: of capitals, small letters and digits two of
 * the three.
 */
export function mixedRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  let start = 0
  let kinds = 0
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (KIND[code] ?? 0) : 0 // NaN behind the end
    if (kind !== 0) {
      kinds |= kind
      continue
    }
    const letters = kinds & ~OTHER
    if (at - start >= LEAST_RUN && (letters & (letters - 1)) !== 0) {
      const padding = text[at + 1] === '=' ? 2 : 1
      const end = at + (text[at] === '=' ? padding : 0)
      runs.push({ text: text.slice(start, end), index: start })
    }
    start = at + 1
    kinds = 0
  }
  return runs
}
