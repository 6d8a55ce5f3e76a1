import {
  type Action,
  type FieldRestriction,
  isList,
  isObject,
  type Json,
  type JsonObject,
  REDACTED,
  type RunContext,
  type RedactedValue,
} from '@amodal/sdk'
import { isNumber, isExact } from '@amodal/sdk/data'
import type { Allowed } from './allowed.ts'
import { decodings } from './decoded.ts'
import { describedIn } from './described.ts'
import type { Field, Found, Restricted } from './fields.ts'
import { isAcknowledgement, parseText, type ParsedText } from './formats/index.ts'
import { type Header, headersIn } from './headers.ts'
import type { LedgerScope } from './ledger.ts'
import { planOf, rowsIn } from './matrix.ts'
import { type Mentions, mentionsOf } from './mentions.ts'
import { isNameLike, type Names } from './names.ts'
import { scrubText } from './texts.ts'
import { isAbout } from './variants.ts'

export const MASKED = '[MASKED]'
const NOWHERE: ReadonlySet<string> = new Set()
const NO_FIELDS: readonly Field[] = []
/** Replaces the value of a field with a secret's name. */
const SECRET: Omit<FieldRestriction, 'field'> = {
  entity: '',
  policy: 'never_retrieve',
  sensitivity: 'secret',
  allowedRoles: [],
}
/** Steps of one answer: values, and for each 64 characters of their texts another one. */
const MOST_STEPS = 3_000_000
const CHARS = 64
/** Encodings inside of encodings that are still read. */
const MOST_LAYERS = 4
const HINT = /[\\&%=]|[\w+/-]{16}|[\da-f]{24}/i

/** The fields that a value stands in, the nearest last. */
type Path = readonly string[]

/** Scrubs one response: removes restricted values and counts them. */
export class Scrubbing {
  /** Fields removed, redacted or masked. */
  stripped = 0
  /** Parts that were left out because they could not be parsed. */
  left = 0
  /** The scan used up the work allowed for one response. */
  exceeded = false
  /**
   * Restricted fields that the response may hold and this person may not see: if there are any, a
   * response that cannot be parsed is withheld.
   */
  readonly closed: readonly FieldRestriction[]
  readonly #restricted: Restricted | undefined
  readonly #book: LedgerScope
  readonly #names: Names
  readonly #roles: readonly string[]
  readonly #connection: string
  readonly #taken = new Map<string, RedactedValue>()
  readonly #mentions = new Map<ReadonlySet<string>, Mentions>()
  readonly #allowed: Allowed
  readonly #isAliased: boolean
  /** Headers of the response; looked up only if it has tables or lists. */
  #headers: () => readonly Header[] = () => []
  #steps = 0
  #depth = 0

  constructor(
    restricted: Restricted | undefined,
    book: LedgerScope,
    names: Names,
    action: Action,
    { roles }: Pick<RunContext, 'roles'>,
    allowed: Allowed,
  ) {
    this.#names = names
    this.#restricted = restricted
    this.#book = book
    this.#roles = roles
    this.#connection = action.connection
    this.#allowed = allowed
    this.#isAliased = action.method === 'QUERY' || action.method === 'MUTATION'
    this.closed = restricted?.expected.filter((one) => !this.#stays(one)) ?? []
  }

  /** Redacted values that are new to the session. */
  get redacted(): readonly RedactedValue[] {
    return [...this.#taken.values()].filter((one) => !this.#book.knows(one))
  }

  /** Scrubs a whole response; `undefined`: it cannot be determined which fields it holds. */
  whole(value: Json): Json | undefined {
    if (this.closed.length === 0) return this.value(value)
    const scrubbedBlocks = typeof value === 'string' ? this.#wholeText(value) : this.#whole(value)
    return this.exceeded ? undefined : scrubbedBlocks
  }

  value(value: Json): Json {
    this.#headers = this.#headersOf(value, NOWHERE)
    const clean = this.#walk(value, [], NOWHERE)
    return this.#taken.size === 0 ? clean : this.#withoutKeys(clean)
  }

  /** Scrubs our own text, which may quote the target. */
  text(text: string, entities = NOWHERE): string {
    return scrubText(
      text,
      this.#restricted?.fields(entities) ?? [],
      (inner) => this.#walk(inner, [], entities),
      (said, restriction) => {
        const stays = this.#stays(restriction)
        if (!stays) this.stripped++
        // Plain words are not remembered: as search terms they would match in every text.
        const instead = /[\d@]/.test(said) ? this.#instead(said, restriction) : REDACTED
        return stays ? undefined : instead
      },
    )
  }

  #whole(value: Json): Json | undefined {
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string' || isNumber(value))
      return this.#allowed.anything ? this.value(value) : undefined
    if (isList(value) && isBare(value) && !this.#allowed.anything) return undefined
    const left = this.left
    const allowed = this.#allowed.only(value, () => this.#leaveOut())
    if (allowed === undefined) return undefined
    const clean = this.value(allowed)
    return typeof clean === 'string' && this.left > left ? undefined : clean
  }

  /** Lets data in a text pass, and leaves out sentences around it. */
  #wholeText(text: string): Json | undefined {
    if (isAcknowledgement(text)) return text
    this.#spend(text.length)
    const read = this.#read(text, NOWHERE, true)
    if (read) {
      const clean = this.#whole(read.value)
      if (clean === undefined) return undefined
      return same(clean, read.value) ? text : read.render(clean)
    }
    if (this.#allowed.anything) return this.text(text)
    const blocks = blocksOf(text)
    if (blocks.length < 2) return undefined
    const scrubbedBlocks = blocks.map((block) => {
      const inner = this.#read(block, NOWHERE, true)
      const clean = inner && this.#whole(inner.value)
      if (!inner || clean === undefined) {
        this.left++
        return undefined
      }
      return same(clean, inner.value) ? block : inner.render(clean)
    })
    return scrubbedBlocks.every((one) => one === undefined)
      ? undefined
      : scrubbedBlocks.map((one) => one ?? this.mark()).join('\n')
  }

  #walk(value: Json, path: Path, above: ReadonlySet<string>): Json {
    this.#spend(0)
    if (this.exceeded) return null
    if (typeof value === 'string') return this.#string(value, above)
    if (isList(value)) return this.#list(value, path, above)
    if (!isObject(value)) return value
    return this.#object(
      value,
      path,
      this.#restricted?.entitiesIn(value, above, this.#names) ?? above,
    )
  }

  #object(value: JsonObject, path: Path, entities: ReadonlySet<string>): Json {
    const described = this.#restricted
      ? describedIn(value, (name) => this.#named(name, entities), this.#mentionsOf(entities))
      : undefined
    const isAbout = described && !this.#stays(described.found.restriction)
    if (isAbout) this.stripped++
    const clean: Record<string, Json> = {}
    for (const name in value) {
      const inner = value[name] ?? null
      if (isAbout && described.values.has(name))
        put(clean, name, this.#each(inner, described.found.restriction))
      else this.#field(name, inner, path, entities, clean)
    }
    return clean
  }

  #field(
    name: string,
    value: Json,
    path: Path,
    above: ReadonlySet<string>,
    clean: Record<string, Json>,
  ): void {
    const found = this.#restricted?.at(name, path, above)
    if (found && !(isAbout(value, found.match) && isNameLike(name))) {
      const { restriction } = found
      if (!isNameLike(name)) this.text(name, above) // the value may stand in it
      const left = this.#each(value, restriction, !found.match.exact)
      if (this.#stays(restriction)) put(clean, name, value)
      else {
        this.stripped++
        if (restriction.policy === 'retrieve_but_redact')
          put(clean, isNameLike(name) ? name : this.#instead(name, restriction), left)
      }
    } else if (this.#names.isSecret(name) && holdsText(value)) {
      this.stripped++
      put(clean, name, this.#masked(value, name))
      put(clean, `${name}_masked`, true)
    } else {
      const stem = this.#names.stem(name)
      put(
        clean,
        name,
        this.#walk(
          value,
          isObject(value) || isList(value) || value === null ? [...path, stem] : path,
          this.#restricted?.entitiesOf(stem, above) ?? above,
        ),
      )
    }
  }

  #list(list: readonly Json[], path: Path, above: ReadonlySet<string>): Json {
    if (!this.#restricted) return list.map((inner) => this.#walk(inner, path, above))
    const rows = rowsIn(list)
    if (rows) return this.#table(list, rows, path, above)
    if (list.length === 0 || list.some((one) => isObject(one) || isList(one)))
      return list.map((inner) => this.#walk(inner, path, above))
    return this.#scalars(list, path, above)
  }

  /** A table passes if its columns are named. */
  #table(
    list: readonly Json[],
    rows: readonly (readonly Json[])[],
    path: Path,
    above: ReadonlySet<string>,
  ): Json {
    const plan = planOf(rows, this.#headers(), path.at(-1) ?? '', (name) =>
      this.#named(name, above),
    )
    if (!plan) {
      if (this.closed.length > 0 && !this.#allowed.vouched) return this.#leaveOut()
      return list.map((inner) => this.#walk(inner, path, above))
    }
    const cell = (value: Json, row: number, column: number): Json => {
      const isName =
        typeof value === 'string' &&
        isNameLike(value) &&
        ((plan.head && row === 0) || this.#named(value, above) !== undefined)
      const restriction = isName ? undefined : (plan.columns.get(column) ?? plan.rows.get(row))
      if (!restriction || value === null || this.#stays(restriction))
        return this.#walk(value, path, above)
      this.stripped++
      return this.#each(value, restriction)
    }
    const cells = (values: readonly Json[], row: number): Json =>
      values.map((value, column) => cell(value, row, column))
    return list.map((row, at) => {
      if (isList(row)) return cells(row, at)
      if (!isObject(row)) return this.#walk(row, path, above)
      return Object.fromEntries(
        Object.entries(row).map(([name, inner]) => [
          name,
          isList(inner) ? cells(inner, at) : this.#walk(inner, path, above),
        ]),
      )
    })
  }

  /** A list of texts and numbers beside a list of names, or with names in it. */
  #scalars(list: readonly Json[], path: Path, above: ReadonlySet<string>): Json {
    const beside = new Map<number, Found>()
    for (const { names, list: own } of this.#headers()) {
      if (own === list || names.length !== list.length) continue
      names.forEach((spellings, at) => {
        const found = spellings
          .map((name) => this.#named(name, above))
          .find((one) => one !== undefined)
        if (found) beside.set(at, found)
      })
    }
    const isName = (one: Json): one is string =>
      typeof one === 'string' && isNameLike(one) && this.#mentionsIn(one, above)
    const values = list.some((one) => !(typeof one === 'string' && isNameLike(one)))
    let before: Found | undefined
    return list.map((one, at) => {
      const named = isName(one) ? this.#named(one, above) : undefined
      const found = beside.get(at) ?? (values && !named ? before : undefined)
      before = named ?? (found ? before : undefined)
      if (!found || one === null || this.#stays(found.restriction) || named)
        return this.#walk(one, path, above)
      this.stripped++
      return this.#each(one, found.restriction)
    })
  }

  /**
   * A text in an ordinary field passes unless it names a restricted field and cannot be parsed.
   */
  #string(text: string, above: ReadonlySet<string>): string {
    this.#spend(text.length)
    if (this.exceeded || !this.#restricted) return this.#restricted ? '' : this.text(text, above)
    if (this.closed.length === 0) return this.text(text, above)
    const isNamed = this.#mentionsIn(text, above)
    const hidden = HINT.test(text) && this.#isHidden(text, above, 0)
    if (!isNamed && !hidden) return this.text(text, above)
    const read = this.#depth < MOST_LAYERS ? this.#read(text, above, false) : undefined
    if (read) {
      this.#depth++
      const headers = this.#headers
      this.#headers = this.#headersOf(read.value, above)
      const left = this.left
      const clean = this.#walk(read.value, [], above)
      this.#headers = headers
      this.#depth--
      if (same(clean, read.value)) return hidden ? this.#leaveOut() : text
      return typeof clean === 'string' && this.left > left ? clean : read.render(clean)
    }
    if (this.#allowed.vouched || (isNamed && !this.#mentionsOf(above).withValue(text)))
      return this.text(text, above)
    this.text(text, above) // what it gives away is known from now on
    return this.#leaveOut()
  }

  #isHidden(text: string, above: ReadonlySet<string>, layer: number): boolean {
    return decodings(text).some((inner) => {
      this.#spend(inner.length)
      if (this.exceeded) return true
      return (
        this.#mentionsOf(above).withValue(inner) ||
        (layer < MOST_LAYERS && HINT.test(inner) && this.#isHidden(inner, above, layer + 1))
      )
    })
  }

  #read(text: string, above: ReadonlySet<string>, whole: boolean): ParsedText | undefined {
    return parseText(text, {
      whole,
      isRestricted: (name) => this.#named(name, above) !== undefined,
    })
  }

  /** The restricted field that a text is the name of. Nearly all texts are none. */
  #named(name: string, above: ReadonlySet<string>): Found | undefined {
    return this.#isAliased || this.#mentionsOf(above).mayBe(name)
      ? this.#restricted?.named(name, above)
      : undefined
  }

  #headersOf(value: Json, above: ReadonlySet<string>): () => readonly Header[] {
    let headers: readonly Header[] | undefined
    return () =>
      (headers ??= this.#restricted
        ? headersIn(value, (name) => this.#named(name, above) !== undefined)
        : [])
  }

  #mentionsIn(text: string, above: ReadonlySet<string>): boolean {
    return this.#mentionsOf(above).in(text)
  }

  #mentionsOf(above: ReadonlySet<string>): Mentions {
    const known =
      this.#mentions.get(above) ?? mentionsOf(this.#restricted?.fields(above) ?? NO_FIELDS)
    this.#mentions.set(above, known)
    return known
  }

  #leaveOut(): string {
    this.left++
    return this.mark()
  }

  /** The mark for a part that is left out. */
  mark(): string {
    const names = this.closed.map(({ entity, field }) => `${entity}.${field}`)
    return `[withheld: what stands here could not be read, and may hold ${names.slice(0, 5).join(', ')} of ${this.#connection}]`
  }

  #masked(value: Json, name: string): Json {
    if (typeof value === 'string') return this.#mask(value, name)
    if (isList(value)) return value.map((inner) => this.#masked(inner, name))
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [key, this.#masked(inner, name)]),
        )
      : value
  }

  #mask(value: string, field: string): string {
    if (value !== MASKED && value !== '')
      this.#take(this.#book.entry(value, { ...SECRET, field }, this.#connection))
    return MASKED
  }

  /**
   * The replacement of a value, which is remembered for later texts, except booleans: they identify
   * nobody.
   */
  #instead(value: string | number | boolean, restriction: FieldRestriction): string {
    const text = String(value)
    if (text === '' || text === REDACTED || text === MASKED) return text
    const entry = this.#book.entry(text, restriction, this.#connection)
    if (typeof value !== 'boolean') this.#take(entry)
    return entry.handle ?? REDACTED
  }

  #stays({ policy, allowedRoles }: FieldRestriction): boolean {
    return policy === 'role_gated' && allowedRoles.some((role) => this.#roles.includes(role))
  }

  #take(entry: RedactedValue): void {
    this.#taken.set(`${entry.entity}\n${entry.field}\n${entry.value}`, entry)
  }

  /** All that a restricted field holds, keys of its objects that are values included. */
  #each(value: Json, restriction: FieldRestriction, keys = false): Json {
    this.#spend(0)
    if (value === null || this.exceeded) return null
    if (isList(value)) return value.map((inner) => this.#each(inner, restriction, keys))
    if (isObject(value)) {
      const nameOf = (name: string): string =>
        keys || !isNameLike(name) ? this.#instead(name, restriction) : name
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          nameOf(name),
          this.#each(inner, restriction),
        ]),
      )
    }
    if (isExact(value)) return this.#instead(value.digits, restriction)
    return typeof value === 'object' ? value : this.#instead(value, restriction)
  }

  /** Objects whose keys are values that were taken out elsewhere. */
  #withoutKeys(value: Json): Json {
    const instead = new Map(
      [...this.#taken.values()].map((entry) => [entry.value, entry.handle ?? REDACTED]),
    )
    const holds = (one: Json): boolean => {
      if (isList(one)) return one.some(holds)
      if (!isObject(one)) return false
      for (const name in one)
        if (
          (!PLAIN_KEY.test(name) && keyWithout(name, instead) !== name) ||
          holds(one[name] ?? null)
        )
          return true
      return false
    }
    const clean = (one: Json): Json => {
      if (isList(one)) return one.map(clean)
      if (!isObject(one)) return one
      return Object.fromEntries(
        Object.entries(one).map(([name, inner]) => [keyWithout(name, instead), clean(inner)]),
      )
    }
    return holds(value) ? clean(value) : value
  }

  #spend(chars: number): void {
    this.#steps += 1 + Math.floor(chars / CHARS)
    if (this.#steps > MOST_STEPS) this.exceeded = true
  }
}

/** A list of values without names, and no table. */
const isBare = (list: readonly Json[]): boolean =>
  rowsIn(list) === undefined && list.some((one) => !(isObject(one) || isList(one)))

const LEAST_KEY = 4
const PLAIN_KEY = /^[a-z_]{1,24}$/i

function keyWithout(name: string, instead: ReadonlyMap<string, string>): string {
  const whole = instead.get(name)
  if (whole !== undefined && name.length >= LEAST_KEY) return whole
  return name
    .split(/([^\p{L}\p{N}@.+-]+)/u)
    .map((part) => (part.length >= LEAST_KEY ? (instead.get(part) ?? part) : part))
    .join('')
}

/** Parts of a text that empty lines or a change between data and words part. */
function blocksOf(text: string): readonly string[] {
  const blocks: string[] = []
  for (const part of text.split(/\n\s*\n|(?<=^|\n)(?=[[{])|(?<=[\]}])\s*\n/)) {
    if (part.trim() !== '') blocks.push(part.trim())
  }
  return blocks
}

const same = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A field of any name: `__proto__` is one like others. */
function put(object: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  else object[name] = value
}

const holdsText = (value: Json): boolean =>
  isObject(value) || isList(value)
    ? Object.values(value).some((inner: Json) => holdsText(inner))
    : typeof value === 'string' && value !== ''
