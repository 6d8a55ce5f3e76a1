import { isList, isObject, REDACTED, type Json, type JsonObject } from '@amodal/sdk'

/** Shorter values are in too many texts to be masked, so they may be no secrets. */
export const SHORTEST_SECRET = 6

/** Replaces secrets of a tool wherever they are in texts, names of fields or numbers. */
export class SecretMask {
  readonly #forms: readonly string[]

  constructor(secrets: readonly string[]) {
    // the longest first, so that no rest of a secret is shown
    this.#forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length)
  }

  text(text: string): string {
    return this.#forms.reduce((masked, form) => masked.replaceAll(form, REDACTED), text)
  }

  object(value: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [this.text(name), this.json(inner)]),
    )
  }

  json(value: Json): Json {
    if (this.#forms.length === 0) return value
    if (typeof value === 'string') return this.text(value)
    if (isList(value)) return value.map((item) => this.json(item))
    if (isObject(value)) return this.object(value)
    const plain = String(value)
    return this.#forms.some((form) => plain.includes(form)) ? REDACTED : value
  }
}

/** A secret as it is, and as URLs, headers and texts of JSON have it. */
const formsOf = (secret: string): readonly string[] =>
  secret.length < SHORTEST_SECRET
    ? []
    : [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('base64url'),
        JSON.stringify(secret).slice(1, -1),
      ]
