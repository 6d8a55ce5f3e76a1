import type { Run } from './decode.ts'
import type { Span } from './finding.ts'

const LEAST = 8
const GRAM = 6

/**
 * Looks for values inside of base64 without decoding it: whatever stands before a value, its bytes are written in one of
 * three ways, but for a sign at either end. So it is found where a run has lost its beginning or its end.
 */
export class Fragments<T> {
  readonly #grams = new Map<string, { readonly text: string; readonly of: T }[]>()
  /** Prepared when a text first has something that they could be in. */
  #waiting: (readonly [value: string, of: T])[] = []

  add(value: string, of: T): void { this.#waiting.push([value, of]) }

  #prepare(): void {
    for (const [value, of] of this.#waiting) this.#index(value, of)
    this.#waiting = []
  }

  #index(value: string, of: T): void {
    const bytes = Buffer.from(value)
    for (const before of [0, 1, 2]) {
      const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
      const text = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
      if (text.length < LEAST) continue
      const same = this.#grams.get(text.slice(0, GRAM))
      if (same) same.push({ text, of })
      else this.#grams.set(text.slice(0, GRAM), [{ text, of }])
    }
  }

  find(runs: readonly Run[]): readonly (Span & { readonly of: T })[] {
    const found: (Span & { readonly of: T })[] = []
    for (const { text: run, index } of runs) {
      if (this.#waiting.length > 0) this.#prepare()
      const plain = run.replaceAll('-', '+').replaceAll('_', '/')
      for (let at = 0; at + LEAST <= plain.length; at++) {
        for (const one of this.#grams.get(plain.slice(at, at + GRAM)) ?? []) {
          if (plain.startsWith(one.text, at)) found.push({ start: index + at, end: index + at + one.text.length, of: one.of })
        }
      }
    }
    return found
  }
}
