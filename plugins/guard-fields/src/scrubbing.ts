import { type Action, type FieldRestriction, isObject, type Json, REDACTED, type RunContext, type Withheld } from '@amodal/sdk'
import type { Restricted } from './fields.ts'
import type { Book } from './ledger.ts'
import type { Names } from './names.ts'
import { scrubText } from './texts.ts'

export const MASKED = '[MASKED]'
const NOWHERE: ReadonlySet<string> = new Set()
/** What is taken from a field whose name says that it is a secret. */
const SECRET: Omit<FieldRestriction, 'field'> = { entity: '', policy: 'never_retrieve', sensitivity: 'secret', allowedRoles: [] }

/** One answer on its way in: what is taken out of it, and what is left. */
export class Scrubbing {
  /** Fields removed, redacted or masked. */
  stripped = 0
  readonly #restricted: Restricted | undefined
  readonly #book: Book
  readonly #names: Names
  readonly #roles: readonly string[]
  readonly #connection: string
  readonly #taken = new Map<string, Withheld>()

  constructor(restricted: Restricted | undefined, book: Book, names: Names, action: Action, { roles }: Pick<RunContext, 'roles'>) {
    this.#names = names
    this.#restricted = restricted
    this.#book = book
    this.#roles = roles
    this.#connection = action.connection
  }

  /** What was not known before. */
  get withheld(): readonly Withheld[] {
    return [...this.#taken.values()].filter((one) => !this.#book.knows(one))
  }

  value(value: Json): Json { return this.#walk(value, [], NOWHERE) }

  text(text: string, entities = NOWHERE): string {
    return scrubText(text, this.#restricted?.named(entities) ?? [], (inner) => this.#walk(inner, [], entities), (said, restriction) => {
      const stays = this.#stays(restriction)
      if (!stays) this.stripped++
      // Words behind a name may be any words; to look for them in every text would find them everywhere.
      const instead = /[\d@]/.test(said) ? this.#instead(said, restriction) : REDACTED
      return stays ? undefined : instead
    })
  }

  #walk(value: Json, path: readonly string[], above: ReadonlySet<string>): Json {
    if (typeof value === 'string') return this.text(value, above)
    if (Array.isArray(value)) return value.map((inner: Json) => this.#walk(inner, path, above))
    if (!isObject(value)) return value
    const entities = this.#restricted?.entitiesIn(value, above, this.#names) ?? above
    return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => this.#field(name, inner, [...path, this.#names.stem(name)], entities)))
  }

  #field(name: string, value: Json, path: readonly string[], above: ReadonlySet<string>): readonly (readonly [string, Json])[] {
    const restriction = this.#restricted?.at(path, above)
    if (restriction) {
      const left = this.#each(value, (leaf) => this.#instead(leaf, restriction))
      if (this.#stays(restriction)) return [[name, value]]
      this.stripped++
      return restriction.policy === 'retrieve_but_redact' ? [[name, left]] : []
    }
    if (this.#names.isSecret(name) && holdsText(value)) {
      this.stripped++
      return [[name, this.#each(value, (leaf) => (typeof leaf === 'string' ? this.#mask(leaf, name) : leaf))], [`${name}_masked`, true]]
    }
    return [[name, this.#walk(value, path, this.#restricted?.entitiesOf(path.at(-1) ?? '', above) ?? above)]]
  }

  #mask(value: string, field: string): string {
    if (value !== MASKED && value !== '') this.#take(this.#book.entry(value, { ...SECRET, field }, this.#connection))
    return MASKED
  }

  /** What stands in place of a value, which is known from now on. Yes and no tell nothing of anybody. */
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

  #take(entry: Withheld): void { this.#taken.set(JSON.stringify([entry.value, entry.entity, entry.field]), entry) }

  #each(value: Json, change: (leaf: string | number | boolean) => Json): Json {
    if (value === null) return null
    if (Array.isArray(value)) return value.map((inner: Json) => this.#each(inner, change))
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#each(inner, change)]))
    return typeof value === 'object' ? value : change(value)
  }
}

const holdsText = (value: Json): boolean => (typeof value === 'object' && value !== null ? Object.values(value).some((inner: Json) => holdsText(inner)) : typeof value === 'string' && value !== '')
