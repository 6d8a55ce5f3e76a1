import {
  isObject,
  mapTexts,
  type Json,
  type JsonObject,
  type Outgoing,
  type Secrets,
  type Withheld,
} from '@amodal/sdk'

/** Shorter ones stand in any text by chance. */
const SHORTEST = 4
const INSTEAD = '[withheld]'

/**
 * Takes out of texts what may not be kept in a file: secrets, what no answer may hold, and what was
 * withheld in this session.
 */
export class Scrubber {
  readonly #secrets: Secrets
  readonly #outgoing: Outgoing | undefined
  readonly #withheld: readonly string[]

  constructor(secrets: Secrets, outgoing: Outgoing | undefined, withheld: readonly Withheld[]) {
    this.#secrets = secrets
    this.#outgoing = outgoing
    this.#withheld = withheld.map(({ value }) => value).filter(({ length }) => length >= SHORTEST)
  }

  readonly text = (text: string): string => {
    if (text === '') return text
    const masked = this.#withheld.reduce(
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
   * A text that came in pieces, as pieces of the same sizes: what is split in two is found all the
   * same.
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
      const value = JSON.parse(text) as Json // whatever it is, it is JSON
      const clean = isObject(value) ? this.value(value) : value
      return clean === value ? text : JSON.stringify(clean)
    } catch {
      return this.text(text)
    }
  }
}
