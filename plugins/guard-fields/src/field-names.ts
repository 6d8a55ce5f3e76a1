import type { FieldRestriction } from '@amodal/sdk'
import { plainLetters } from '@amodal/sdk/connections'
import { partsOf, plainName, stemOf } from './names.ts'

/** Longest text that names a field, has no digit, and is taken to hold no value. */
const SHORT = 24
/** Encodings inside of encodings that are decoded. */
const MOST_LAYERS = 3
const ENCODED = /%[\da-f]{2}|&#|\\[ux]|[\w+/-]{16}/i
const BASE64 = /[\w+/-]{16,}/g
const HEX = /(?:[\da-f]{2}){12,}/gi
const ESCAPE = /(?:\\u|&#x)([\da-f]{4});?|(?:\\x|%|&#x)([\da-f]{2});?|&#(\d{1,6});/gi

/** Digits and letters of a handle are no value. */
const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/g

/** Finds names of restricted fields in texts whose format is not known. */
export class FieldNames {
  readonly #restrictions: readonly FieldRestriction[]
  #pattern: RegExp | undefined

  constructor(restrictions: readonly FieldRestriction[]) {
    this.#restrictions = restrictions
  }

  /**
   * Whether a text mentions a restricted field and may hold its value.
   *
   * @param charge is told the length of each text that is decoded; `false` stops the search
   */
  mayHoldValue(text: string, charge: (chars: number) => boolean): boolean {
    if (this.#restrictions.length === 0) return false
    const plain = text.includes('[redacted:') ? text.replaceAll(HANDLE, '') : text
    if (this.#isMentioned(plain) && (plain.length > SHORT || /[\p{N}@:=|<>"]/u.test(plain)))
      return true
    return ENCODED.test(plain) && this.#isEncoded(plain, charge, 1)
  }

  #isEncoded(text: string, charge: (chars: number) => boolean, layer: number): boolean {
    if (isCompressed(text)) return true
    return decodings(text).some(
      (inner) =>
        !charge(inner.length) ||
        this.#isMentioned(inner) ||
        (layer < MOST_LAYERS && ENCODED.test(inner) && this.#isEncoded(inner, charge, layer + 1)),
    )
  }

  #isMentioned(text: string): boolean {
    this.#pattern ??= patternOf(this.#restrictions)
    return this.#pattern.test(plainLetters(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')))
  }
}

/** Names of the fields in any spelling, as whole words, with and without their entity. */
function patternOf(restrictions: readonly FieldRestriction[]): RegExp {
  const names = restrictions.flatMap(({ entity, field }) => {
    const last = partsOf(field).at(-1) ?? field
    return [plainName(last), stemOf(last), plainName(entity) + stemOf(last)]
  })
  const spelled = [...new Set(names)]
    .filter((name) => name !== '')
    .map((name) => {
      const letters = [...name].join(String.raw`[\s_.-]?`)
      return /^[a-z\d]+$/.test(name) ? String.raw`(?<!\p{L})${letters}s?(?!\p{L})` : letters
    })
  return new RegExp(spelled.length === 0 ? '(?!)' : spelled.join('|'), 'u')
}

/** Whether a text may contain base64 or hexadecimal of compressed data. */
const isCompressed = (text: string): boolean => /H4sI[\w+/-]{12}|1f8b08/i.test(text)

/** What a text contains in percent encoding, escapes, base64 or hexadecimal. */
function decodings(text: string): readonly string[] {
  const found: string[] = []
  const unescaped = text.replaceAll(ESCAPE, (_all, four?: string, two?: string, decimal?: string) =>
    String.fromCodePoint(
      decimal === undefined ? Number.parseInt(four ?? two ?? '', 16) : Number(decimal),
    ),
  )
  if (unescaped !== text) found.push(unescaped)
  for (const [run] of text.matchAll(HEX)) found.push(Buffer.from(run, 'hex').toString())
  for (const [run] of text.matchAll(BASE64))
    // A prefix such as `id-` or `path/` shifts the bytes of what follows.
    for (const part of new Set([run, ...run.split(/[/_-]/)]))
      if (part.length >= 16) found.push(Buffer.from(part, 'base64').toString())
  return found.filter((one) => !/[\u0000-\u0008\u000E-\u001A\uFFFD]/.test(one))
}
