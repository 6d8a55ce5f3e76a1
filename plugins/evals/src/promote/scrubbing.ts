import {
  isList,
  isObject,
  REDACTED,
  type Json,
  type RedactedValue,
  type Secrets,
} from '@amodal/sdk'
import { isExact, parseExact } from '@amodal/sdk/data'
import { isMasked } from './marks.ts'
import {
  namesSecret,
  sensitiveSpans,
  separate,
  type FindNumbers,
  type SensitiveSpan,
} from './sensitive-values.ts'
import { plainForm, StandIns, type SensitiveKind } from './stand-ins.ts'

/** Shorter values of fields stand in any text by chance. */
const SHORTEST = 4

/** What was replaced, where, and how often; never the value. */
export interface Replacement {
  readonly kind: SensitiveKind
  /** `message of turn 1`, `result of get_contact` */
  readonly where: string
  readonly count: number
}

export interface ScrubbingParts {
  readonly secrets: Pick<Secrets, 'mask' | 'values'> | undefined
  /** What was taken out of results in this conversation, and in which its texts may be. */
  readonly redacted: readonly Pick<RedactedValue, 'value'>[]
  /** Names of fields that access rules restrict, in their plain form. */
  readonly restricted: ReadonlySet<string>
  readonly findNumbers: FindNumbers
}

/**
 * Replaces what is secret or personal in one conversation. First everything is learnt, so that a
 * value which is known by its field or its label is found where neither is there; then it is
 * cleaned.
 */
export class Scrubbing {
  readonly #parts: ScrubbingParts
  readonly #standIns = new StandIns()
  /** By the value in small letters. */
  readonly #known = new Map<string, SensitiveKind>()
  /** Those of them that nothing else finds: their form alone says nothing. */
  readonly #literals = new Map<string, SensitiveKind>()
  readonly #replaced = new Map<string, Replacement>()
  #patterns: readonly RegExp[] | undefined
  /** A text took too much work to look at. */
  exceeded = false

  constructor(parts: ScrubbingParts) {
    this.#parts = parts
    for (const value of parts.secrets?.values() ?? []) this.#learnValue('secret', value)
    for (const { value } of parts.redacted) this.#learnValue('private', value)
  }

  get replaced(): readonly Replacement[] {
    return [...this.#replaced.values()]
  }

  /** @param name of the field that holds it */
  learn(value: Json, name = ''): void {
    this.#learnIn(value, name, undefined)
  }

  clean(value: string, where: string): string
  clean(value: Json, where: string): Json
  clean(value: Json, where: string): Json {
    return this.#cleanIn(value, '', undefined, where)
  }

  #learnIn(value: Json, name: string, above: SensitiveKind | undefined): void {
    if (isList(value)) {
      for (const inner of value) this.#learnIn(inner, name, above)
      return
    }
    const text = leafText(value)
    if (text !== undefined) {
      this.#learnText(text, name, above)
      return
    }
    if (!isObject(value)) return
    for (const [field, inner] of Object.entries(value)) {
      this.#learnText(field, '', undefined)
      this.#learnIn(inner, field, this.#kindOf(field) ?? above)
    }
  }

  #learnText(text: string, name: string, above: SensitiveKind | undefined): void {
    const spans = this.#spansOf(text, name)
    for (const { kind, start, end } of spans)
      this.#learnValue(kind, percentDecoded(text.slice(start, end)))
    if (above !== undefined && !isMasked(text) && !isWhole(spans, text))
      this.#learnValue(above, text.trim())
    const inner = /^\s*[{[]/.test(text) ? parsed(text) : undefined
    if (inner !== undefined) this.#learnIn(inner, '', undefined)
  }

  #learnValue(kind: SensitiveKind, value: string): void {
    if (value.length < SHORTEST || value === REDACTED) return
    for (const spelled of new Set([value, compact(kind, value)])) {
      const plain = spelled.toLowerCase()
      if (this.#known.has(plain)) continue
      this.#known.set(plain, kind)
      if (isWhole(this.#spansOf(plain, ''), plain)) continue
      this.#literals.set(plain, kind)
      this.#patterns = undefined
    }
  }

  #cleanIn(value: Json, name: string, above: SensitiveKind | undefined, where: string): Json {
    if (isList(value)) return value.map((inner) => this.#cleanIn(inner, name, above, where))
    const text = leafText(value)
    if (text !== undefined) {
      const clean = this.#cleanText(text, name, above, where)
      if (clean === text) return value
      return typeof value === 'string' ? clean : numberOf(clean)
    }
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [
        this.#cleanText(field, '', undefined, where),
        this.#cleanIn(inner, field, this.#kindOf(field) ?? above, where),
      ]),
    )
  }

  #cleanText(text: string, name: string, above: SensitiveKind | undefined, where: string): string {
    if (text === '') return text
    const found = separate([...this.#spansOf(text, name), ...this.#knownIn(text)])
    const isAll = above !== undefined && text.trim() !== '' && !isMasked(text)
    const spans =
      isAll && !isWhole(found, text) ? [{ kind: above, start: 0, end: text.length }] : found
    let [clean, at] = ['', 0]
    for (const { kind, start, end } of spans) {
      const value = text.slice(start, end)
      clean += text.slice(at, start) + this.#standIn(kind, value)
      at = end
      this.#count(kind, where)
    }
    clean += text.slice(at)
    const masked = this.#parts.secrets?.mask(clean) ?? clean
    if (masked !== clean) this.#count('secret', where)
    return masked
  }

  /** In the encoding of the value where it stands in an address. */
  #standIn(kind: SensitiveKind, value: string): string {
    const decoded = percentDecoded(value)
    const own = this.#known.get(decoded.toLowerCase()) ?? kind
    const standIn = this.#standIns.of(own, decoded)
    return decoded === value ? standIn : encodeURIComponent(standIn)
  }

  #count(kind: SensitiveKind, where: string): void {
    const name = `${kind}\n${where}`
    const { count = 0 } = this.#replaced.get(name) ?? {}
    this.#replaced.set(name, { kind, where, count: count + 1 })
  }

  #kindOf(field: string): SensitiveKind | undefined {
    if (namesSecret(field)) return 'secret'
    return this.#parts.restricted.has(plainName(field)) ? 'private' : undefined
  }

  #spansOf(text: string, name: string): readonly SensitiveSpan[] {
    const spans = sensitiveSpans(text, name, this.#parts.findNumbers)
    if (!spans) this.exceeded = true
    return spans ?? []
  }

  #knownIn(text: string): readonly SensitiveSpan[] {
    this.#patterns ??= patternsOf(this.#literals)
    return this.#patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ 0: value, index }) => ({
        kind: this.#known.get(value.toLowerCase()) ?? 'private',
        start: index,
        end: index + value.length,
      })),
    )
  }
}

/** Secrets wherever they are; everything else as whole words. */
function patternsOf(known: ReadonlyMap<string, SensitiveKind>): readonly RegExp[] {
  const values = [...known].toSorted(([one], [other]) => other.length - one.length)
  const listed = (isSecret: boolean): string =>
    values
      .filter(([, kind]) => (kind === 'secret') === isSecret)
      .map(([value]) => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
      .join('|')
  const [secrets, others] = [listed(true), listed(false)]
  return [
    ...(secrets === '' ? [] : [new RegExp(secrets, 'giu')]),
    ...(others === ''
      ? []
      : [new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${others})(?![\p{L}\p{N}])`, 'giu')]),
  ]
}

/** The name of a field without case and signs. */
export const plainName = (name: string): string =>
  name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

function leafText(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return isExact(value) ? value.digits : undefined
}

/** A stand-in in the place of a number is one, too, where it can be. */
function numberOf(text: string): Json {
  const digits = text.replaceAll(/[-. ]/g, '')
  return /^[1-9]\d{0,14}$|^[1-9]\d{15}$/.test(digits) ? Number(digits) : text
}

/** What a number is where nothing stands between its digits. */
const compact = (kind: SensitiveKind, value: string): string =>
  kind === 'email' || kind === 'secret' || kind === 'private' || kind === 'ip_address'
    ? value
    : plainForm(kind, value)

function percentDecoded(value: string): string {
  if (!/%[\da-f]{2}/i.test(value)) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function isWhole(spans: readonly SensitiveSpan[], text: string): boolean {
  const [span, ...more] = spans
  return (
    span !== undefined &&
    more.length === 0 &&
    text.slice(0, span.start).trim() === '' &&
    text.slice(span.end).trim() === ''
  )
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text) as Json // it has just been read as JSON
  } catch {
    return undefined
  }
}
