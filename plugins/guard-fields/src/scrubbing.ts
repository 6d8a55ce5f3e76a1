import {
  type FieldRestriction,
  isList,
  isObject,
  type Json,
  type JsonObject,
  REDACTED,
  type RedactedValue,
} from '@amodal/sdk'
import { isExact, isNumber } from '@amodal/sdk/data'
import type { Allowed } from './allowed.ts'
import { FieldNames } from './field-names.ts'
import { maySee, type Restricted } from './fields.ts'
import { innerOf, isScalar, mapped } from './json-values.ts'
import type { Ledger } from './ledger.ts'
import { isNameLike, type NameCache } from './names.ts'
import { parseText, type ParsedText } from './parsed-text.ts'
import {
  type Columns,
  columnsOf,
  FEW,
  Headers,
  isCell,
  isHeader,
  isTable,
  namedValues,
} from './tables.ts'

const MASKED = '[MASKED]'
/** Replaces the value of a field with a secret's name. */
const SECRET: Omit<FieldRestriction, 'field'> = {
  entity: '',
  policy: 'never_retrieve',
  sensitivity: 'secret',
  allowedRoles: [],
}
/** Steps of one response: one for each value, and one for each 64 characters of its texts. */
const MOST_STEPS = 3_000_000
const CHARS = 64
/** Lists and objects inside of each other. */
const MOST_DEPTH = 200
/** Texts that are data inside of such texts. */
const MOST_LAYERS = 4
/** An empty text, or a short one of letters such as `OK`. */
const ACKNOWLEDGEMENT = /^[\p{L}\s.!]{0,16}$/u
const MOST_NAMED = 5

/** Where a value is: stems of the fields above it, and entities that it may belong to. */
interface Place {
  readonly path: readonly string[]
  readonly entities: ReadonlySet<string>
  /** Headers of the data it belongs to; found when the first list needs them. */
  readonly headers: () => Headers
}

/** The rules for one response, and for whom they are. */
interface Parts {
  /** Left out where the connection has no restricted fields. */
  readonly restricted: Restricted | undefined
  readonly allowed: Allowed
  readonly ledger: Ledger
  readonly names: NameCache
  readonly connection: string
  readonly roles: readonly string[]
}

/** Scrubs one response: removes restricted values and counts them. */
export class Scrubbing {
  /** Fields removed, redacted or masked. */
  stripped = 0
  /** The response is larger or deeper than what is scanned. */
  exceeded = false
  /** Restricted fields that the response may hold and this person may not see. */
  readonly closed: readonly FieldRestriction[]
  readonly #parts: Parts
  readonly #fieldNames: FieldNames
  readonly #taken = new Map<string, RedactedValue>()
  #steps = 0
  #layer = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.closed = parts.restricted?.expected.filter((one) => !this.#maySee(one)) ?? []
    this.#fieldNames = new FieldNames(this.closed)
  }

  /** It may pass in any form. */
  get isOpen(): boolean {
    return this.closed.length === 0 || this.#parts.allowed.anything
  }

  /** Redacted values that are new to the session. */
  get redacted(): readonly RedactedValue[] {
    return [...this.#taken.values()].filter((one) => !this.#parts.ledger.knows(one))
  }

  /** Scrubs a whole response; `undefined`: its format does not say which fields it holds. */
  whole(value: Json): Json | undefined {
    const clean = this.closed.length === 0 ? this.value(value) : this.#whole(value)
    return this.exceeded ? undefined : clean
  }

  /** Scrubs a part of a response whose own field is not restricted. */
  value(value: Json): Json {
    return this.#fits(value) ? this.#walk(value, this.#root(value)) : null
  }

  /** The mark for a part that is left out. */
  mark(): string {
    const names = this.closed.map(({ entity, field }) => `${entity}.${field}`)
    return `[withheld: what stands here could not be read, and may hold ${names.slice(0, MOST_NAMED).join(', ')} of ${this.#parts.connection}]`
  }

  #whole(value: Json): Json | undefined {
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string') return this.#wholeText(value)
    const { anything } = this.#parts.allowed
    if (isNumber(value)) return anything ? value : undefined
    if (!this.#fits(value)) return undefined
    if (isList(value) && !anything && value.some(isScalar)) return undefined
    const allowed = this.#parts.allowed.only(value, () => this.mark())
    const clean = allowed === undefined ? undefined : this.#walk(allowed, this.#root(allowed))
    return clean === this.mark() ? undefined : clean
  }

  #wholeText(text: string): Json | undefined {
    if (ACKNOWLEDGEMENT.test(text)) return text
    this.#spend(text.length)
    const parsed = this.#parse(text)
    if (!parsed) return this.#parts.allowed.anything ? text : undefined
    const clean = this.#whole(parsed.value)
    if (clean === undefined) return undefined
    return isSame(clean, parsed.value) ? text : parsed.render(clean)
  }

  #walk(value: Json, place: Place): Json {
    if (typeof value === 'string') return this.#string(value, place.entities)
    if (isList(value)) return this.#list(value, place)
    return isObject(value) ? this.#object(value, place) : value
  }

  #object(value: JsonObject, place: Place): Json {
    const about = namedValues(value, (name) => this.#named(name, place.entities))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]): readonly (readonly [string, Json])[] =>
        about?.members.has(name)
          ? [[this.#key(name), this.#replaced(inner, about.restriction)]]
          : this.#field(name, inner, place),
      ),
    )
  }

  /** What is left of a member of an object. */
  #field(name: string, value: Json, place: Place): readonly (readonly [string, Json])[] {
    const restriction = this.#parts.restricted?.of(name, place.entities, place.path)
    if (restriction) {
      const left = this.#replaced(value, restriction)
      const stays = restriction.policy === 'retrieve_but_redact' || this.#maySee(restriction)
      return stays ? [[this.#key(name), left]] : []
    }
    const { stem, isSecret } = this.#parts.names.of(name)
    if (isSecret && holdsText(value)) {
      this.stripped++
      return [
        [name, mapped(value, (inner) => this.#masked(inner, name))],
        [`${name}_masked`, true],
      ]
    }
    const inner = {
      ...place,
      path: isScalar(value) ? place.path : [...place.path, stem],
      entities: this.#parts.restricted?.entitiesOf(name, place.entities) ?? place.entities,
    }
    return [[this.#key(name), this.#walk(value, inner)]]
  }

  #list(list: readonly Json[], place: Place): Json {
    if (!this.#parts.restricted || list.length === 0)
      return list.map((one) => this.#walk(one, place))
    if (isTable(list)) return this.#table(list, place)
    const headers = place.headers()
    if (headers.has(list))
      return list.map((one) => (typeof one === 'string' ? one : this.#walk(one, place)))
    if (!list.every(isCell)) return list.map((one) => this.#walk(one, place))
    return this.#row(list, headers.ofWidth(list.length), place)
  }

  /** A table passes if its columns are named, in its first row or elsewhere in the response. */
  #table(list: readonly Json[], place: Place): Json {
    const named = (name: string): FieldRestriction | undefined => this.#named(name, place.entities)
    const headers = place.headers()
    const [first, ...others] = list
    const head = isList(first) && others.length > 0 && isHeader(first, named) ? first : undefined
    const own = head && columnsOf(head, named)
    const isVouched = this.closed.length === 0 || this.#parts.allowed.vouched
    const arePairs = others.some((row) => isPair(row, named))
    const rows = list.map((row, at) => {
      if (!isList(row)) return this.#walk(row, place)
      const listed = headers.ofWidth(row.length)
      if (head && at === 0 && !listed && !arePairs) return row
      const isBelow = head !== undefined && row.length <= head.length
      if (!listed && !isBelow && !isVouched) return undefined
      return this.#row(row, new Map([...(own ?? []), ...(listed ?? [])]), place)
    })
    const isUnderstood = rows.some((row) => row !== undefined)
    return isUnderstood ? rows.map((row) => row ?? this.mark()) : this.mark()
  }

  /** Cells below names of columns; in a short row, a name of a field has its value beside it. */
  #row(row: readonly Json[], columns: Columns | undefined, place: Place): Json {
    const names = row.map((cell) =>
      typeof cell === 'string' ? this.#named(cell, place.entities) : undefined,
    )
    const isNamed = columns === undefined || row.length <= FEW
    const beside = names.find((one) => isNamed && one !== undefined && !this.#maySee(one))
    return row.map((cell, at) => {
      const restriction = names[at] ? undefined : (columns?.get(at) ?? beside)
      return restriction && cell !== null
        ? this.#replaced(cell, restriction)
        : this.#walk(cell, place)
    })
  }

  /** Texts that are data are scrubbed; others pass unless they may hold a restricted value. */
  #string(text: string, entities: ReadonlySet<string>): string {
    const parsed = this.#layer < MOST_LAYERS ? this.#parse(text, entities) : undefined
    if (parsed && typeof parsed.value === 'object' && this.#fits(parsed.value)) {
      this.#layer++
      const clean = this.#walk(parsed.value, this.#root(parsed.value, entities))
      this.#layer--
      if (!isSame(clean, parsed.value)) return parsed.render(clean)
      if (/^\s*[[{]/.test(text)) return text
    }
    return !this.#parts.allowed.vouched && this.#mayHoldValue(text) ? this.mark() : text
  }

  /** A name that has a value in it is none. */
  #key(name: string): string {
    return /^[A-Za-z_]{1,40}$/.test(name) || !this.#mayHoldValue(name) ? name : this.mark()
  }

  #mayHoldValue(text: string): boolean {
    return this.#fieldNames.mayHoldValue(text, (chars) => {
      this.#spend(chars)
      return !this.exceeded
    })
  }

  #parse(text: string, entities: ReadonlySet<string> = new Set()): ParsedText | undefined {
    return parseText(text, (row) => isHeader(row, (name) => this.#named(name, entities)))
  }

  #named(name: string, entities: ReadonlySet<string>): FieldRestriction | undefined {
    return isNameLike(name) ? this.#parts.restricted?.of(name, entities) : undefined
  }

  #root(value: Json, entities: ReadonlySet<string> = new Set()): Place {
    let found: Headers | undefined
    const headers = (): Headers =>
      (found ??= new Headers(value, (name) => this.#named(name, entities)))
    return { path: [], entities, headers }
  }

  #masked(value: Json, field: string): Json {
    if (typeof value !== 'string' || value === '') return value
    if (value !== MASKED)
      this.#take(this.#parts.ledger.entry(value, { ...SECRET, field }, this.#parts.connection))
    return MASKED
  }

  /**
   * The value of a restricted field with all scalars in it, and keys that are values, replaced;
   * what this person may see stays. Both are recorded for those who may not see it.
   */
  #replaced(value: Json, restriction: FieldRestriction): Json {
    const replaced = mapped(
      value,
      (inner) => {
        if (isExact(inner)) return this.#instead(inner.digits, restriction)
        return inner === null || typeof inner === 'object'
          ? null
          : this.#instead(inner, restriction)
      },
      (name) => (isNameLike(name) ? name : this.#instead(name, restriction)),
    )
    if (this.#maySee(restriction)) return value
    this.stripped++
    return replaced
  }

  /** The replacement of a value, which is recorded unless it is a boolean: it identifies nobody. */
  #instead(value: string | number | boolean, restriction: FieldRestriction): string {
    const text = String(value)
    if (text === '' || text === REDACTED || text === MASKED) return text
    const entry = this.#parts.ledger.entry(text, restriction, this.#parts.connection)
    if (typeof value !== 'boolean') this.#take(entry)
    return entry.handle ?? REDACTED
  }

  #maySee(restriction: FieldRestriction): boolean {
    return maySee(restriction, this.#parts.roles)
  }

  #take(entry: RedactedValue): void {
    this.#taken.set(`${entry.entity}\n${entry.field}\n${entry.value}`, entry)
  }

  /** Whether data is small and flat enough to be scanned. */
  #fits(value: Json): boolean {
    let level: readonly Json[] = [value]
    for (let depth = 0; level.length > 0 && !this.exceeded; depth++) {
      for (const one of level) this.#spend(typeof one === 'string' ? one.length : 0)
      if (depth > MOST_DEPTH) this.exceeded = true
      else level = level.flatMap(innerOf)
    }
    return !this.exceeded
  }

  #spend(chars: number): void {
    this.#steps += 1 + Math.floor(chars / CHARS)
    if (this.#steps > MOST_STEPS) this.exceeded = true
  }
}

/** Whether a row may be no more than the name of a restricted field and its values. */
const isPair = (row: Json, named: (name: string) => FieldRestriction | undefined): boolean =>
  isList(row) &&
  row.length <= FEW &&
  row.some((cell) => typeof cell === 'string' && named(cell) !== undefined)

const isSame = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)

const holdsText = (value: Json): boolean =>
  typeof value === 'string' ? value !== '' : innerOf(value).some(holdsText)
