import {
  isObject,
  mapTexts,
  type Json,
  type JsonObject,
  type OutputRedactor,
  type Secrets,
  type RedactedValue,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** Shorter ones stand in any text by chance. */
const SHORTEST = 4
const INSTEAD = '[withheld]'

/**
 * Redacts texts before they are written to a file: secrets, findings of the output redactor, and
 * redacted values of this session.
 */
export class Scrubber {
  readonly #secrets: Secrets
  readonly #outgoing: OutputRedactor | undefined
  readonly #redacted: readonly string[]

  constructor(
    secrets: Secrets,
    outgoing: OutputRedactor | undefined,
    redacted: readonly RedactedValue[],
  ) {
    this.#secrets = secrets
    this.#outgoing = outgoing
    this.#redacted = redacted.map(({ value }) => value).filter(({ length }) => length >= SHORTEST)
  }

  readonly text = (text: string): string => {
    if (text === '') return text
    const masked = this.#redacted.reduce(
      (rest, value) => rest.replaceAll(value, INSTEAD),
      this.#secrets.mask(text),
    )
    return this.#outgoing?.text(masked) ?? masked
  }

  value(value: JsonObject): JsonObject
  value(value: Json): Json
  value(value: Json): Json {
    return mapTexts(value, this.text)
  }

  /**
   * Redacts a streamed text as a whole and splits it into pieces of the same sizes again, so that a
   * value that was split is found.
   */
  pieces(pieces: readonly string[]): readonly string[] {
    const whole = pieces.join('')
    const clean = this.text(whole)
    if (clean === whole) return pieces
    let at = 0
    return pieces.map((piece, n) => {
      const from = at
      at = n === pieces.length - 1 ? clean.length : at + piece.length
      return clean.slice(from, at)
    })
  }

  /** Arguments of a call: JSON, or what a model takes for it. */
  arguments(text: string): string {
    try {
      const value = parseExact(text) as Json // whatever it is, it is JSON
      const clean = isObject(value) ? this.value(value) : value
      return clean === value ? text : JSON.stringify(clean)
    } catch {
      return this.text(text)
    }
  }
}
