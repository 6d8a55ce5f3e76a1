import {
  type AccessRules,
  type Action,
  type Connection,
  type FieldRestriction,
  isObject,
  type Json,
} from '@amodal/sdk'
import { isGraphql, isPlain, operationsOf, rulesFor } from './matching.ts'
import { type Names, partsOf, memoized, stemOf, stepsOf, wordsOf } from './names.ts'
import { type Match, matchOf } from './variants.ts'

/** A restricted field, prepared for matching. */
export interface Field {
  readonly restriction: FieldRestriction
  readonly entity: string
  readonly steps: readonly string[]
  /** `contactssn` is the `ssn` of a contact. */
  readonly joined: string
}

/** A restricted field that a name may refer to. */
interface Candidate {
  readonly field: Field
  readonly match: Match
  /** The name is the whole path, and not its last step only. */ readonly whole: boolean
}
export interface Found {
  readonly restriction: FieldRestriction
  readonly match: Match
}

/** The strictest first. */
const ORDER: Readonly<Record<FieldRestriction['policy'], number>> = {
  never_retrieve: 0,
  role_gated: 1,
  retrieve_but_redact: 2,
}
/**
 * Fields in which data names its own type. They can only add restrictions, since the author of the
 * data controls them.
 */
const HINTS: ReadonlySet<string> = new Set([
  'entity',
  'entitytype',
  'type',
  'typename',
  'object',
  'objecttype',
  'kind',
  'resourcetype',
  'recordtype',
  'model',
])

/** The restrictions of an `access.json`, prepared once. */
interface Prepared {
  readonly fields: readonly Field[]
  readonly entities: ReadonlySet<string>
  /** Restricted fields that a name may be, by the name: most names are none. */
  readonly candidates: Map<string, readonly Candidate[]>
  /** Fields of some entities, by the names of these. */
  readonly of: Map<string, readonly Field[]>
}
const prepared = new WeakMap<AccessRules, Prepared>()

function prepare(access: AccessRules): Prepared {
  const known = prepared.get(access)
  if (known) return known
  const fields = access.fieldRestrictions
    .map((restriction): Field => {
      const entity = stemOf(restriction.entity)
      const steps = stepsOf(restriction.field)
      return { restriction, entity, steps, joined: entity + steps.join('') }
    })
    .sort((one, other) => ORDER[one.restriction.policy] - ORDER[other.restriction.policy])
  const made = {
    fields,
    entities: new Set(fields.map(({ entity }) => entity)),
    candidates: new Map<string, readonly Candidate[]>(),
    of: new Map<string, readonly Field[]>(),
  }
  prepared.set(access, made)
  return made
}

function candidatesOf(name: string, fields: readonly Field[]): readonly Candidate[] {
  return fields.flatMap((field): readonly Candidate[] => {
    const parts = partsOf(field.restriction.field)
    const entity = wordsOf(field.restriction.entity)
    const all = matchOf(name, parts.flatMap(wordsOf), entity)
    if (all) return [{ field, match: all, whole: true }]
    const last = parts.length > 1 ? matchOf(name, wordsOf(parts.at(-1) ?? ''), entity) : undefined
    return last ? [{ field, match: last, whole: false }] : []
  })
}

/** The restrictions that apply to the response of one action. */
export class Restricted {
  readonly #prepared: Prepared
  /** Entities that the rules say the answer holds; `undefined`: it may be any. */
  readonly #returned: ReadonlySet<string> | undefined
  readonly #aliases: ReadonlyMap<string, readonly string[]>

  constructor({ access }: Pick<Connection, 'access'>, action: Action) {
    this.#prepared = prepare(access)
    const returned = isPlain(action)
      ? rulesFor(access, action).flatMap(({ returns }) => returns)
      : []
    this.#returned = returned.length === 0 ? undefined : new Set(returned.map(stemOf))
    this.#aliases = aliasesOf(action)
  }

  /** Those that the rules say the answer may hold. */
  get expected(): readonly FieldRestriction[] {
    return this.#prepared.fields
      .filter(({ entity }) => this.#returned === undefined || this.#returned.has(entity))
      .map(({ restriction }) => restriction)
  }

  /**
   * Entities that an object may be, by the rules, by the field it stands in and by what it says of
   * itself.
   */
  entitiesIn(
    value: Readonly<Record<string, Json>>,
    above: ReadonlySet<string>,
    names: Names,
  ): ReadonlySet<string> {
    let all = above
    for (const name in value) {
      const inner = value[name]
      let hint: Json | undefined
      if (HINTS.has(names.plain(name))) hint = inner
      else if (name === 'attributes' && isObject(inner)) hint = inner['type']
      if (typeof hint === 'string') all = this.#with(all, stemOf(hint))
    }
    return all
  }

  /** The same for what stands in a field, by the stem of its name: `primarycontact`, `contact`. */
  entitiesOf(stem: string, above: ReadonlySet<string>): ReadonlySet<string> {
    let all = above
    for (const entity of this.#prepared.entities)
      if (stem.endsWith(entity)) all = this.#with(all, entity)
    return all
  }

  /**
   * The strictest restriction of a field.
   *
   * @param path stems of the fields that it stands in
   */
  at(name: string, path: readonly string[], entities: ReadonlySet<string>): Found | undefined {
    for (const own of [
      name,
      ...(this.#aliases.size === 0 ? [] : (this.#aliases.get(stemOf(name)) ?? [])),
    ]) {
      const found = this.#candidates(own).find(
        ({ field: { entity, steps }, match: { joined }, whole }) => {
          if (joined && whole) return true
          if (!this.#speaksOf(entity, entities)) return false
          const before = steps.slice(0, -1)
          const tail = path.slice(path.length - before.length)
          return (
            whole ||
            (tail.length === before.length && before.every((step, index) => step === tail[index]))
          )
        },
      )
      if (found) return { restriction: found.field.restriction, match: found.match }
    }
    return undefined
  }

  /**
   * The restriction that a name speaks of where nothing says where the field stands: a column, a
   * label, a pair.
   */
  named(name: string, entities: ReadonlySet<string>): Found | undefined {
    for (const own of [
      name,
      ...(this.#aliases.size === 0 ? [] : (this.#aliases.get(stemOf(name)) ?? [])),
    ]) {
      const found = this.#candidates(own).find(
        ({ field: { entity }, match: { joined } }) => joined || this.#speaksOf(entity, entities),
      )
      if (found) return { restriction: found.field.restriction, match: found.match }
    }
    return undefined
  }

  /** Restrictions of texts, where only the name of a field can say which it is. */
  fields(entities: ReadonlySet<string>): readonly Field[] {
    const { fields, of } = this.#prepared
    if (this.#returned === undefined) return fields
    const name = [...this.#returned, ...entities].sort().join(' ')
    const own = of.get(name) ?? fields.filter(({ entity }) => this.#speaksOf(entity, entities))
    of.set(name, own)
    return own
  }

  #candidates(name: string): readonly Candidate[] {
    return memoized(this.#prepared.candidates, name, (one) =>
      candidatesOf(one, this.#prepared.fields),
    )
  }

  #speaksOf(entity: string, entities: ReadonlySet<string>): boolean {
    return this.#returned === undefined || this.#returned.has(entity) || entities.has(entity)
  }

  #with(above: ReadonlySet<string>, entity: string): ReadonlySet<string> {
    return this.#prepared.entities.has(entity) && !above.has(entity)
      ? new Set([...above, entity])
      : above
  }
}

/** Whatever GraphQL does not read: blanks, commas and comments. */
const IGNORED = String.raw`(?:[\s,\uFEFF]|#[^\n\r]{0,500}[\n\r])*`
const ALIAS = new RegExp(String.raw`([_A-Za-z]\w*)${IGNORED}:${IGNORED}([_A-Za-z]\w*)`, 'g')

/**
 * In GraphQL the caller can alias a field. Documents that cannot be parsed are scanned for possible
 * aliases.
 */
function aliasesOf(action: Action): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>()
  if (!isGraphql(action)) return aliases
  const add = (alias: string, name: string): void =>
    void aliases.set(stemOf(alias), [...(aliases.get(stemOf(alias)) ?? []), name])
  for (const { aliases: own = [] } of operationsOf(action))
    for (const { alias, name } of own) add(alias, name)
  const { body, query } = action
  const text = [
    ...(query['query'] ?? []),
    typeof body === 'string' ? body : JSON.stringify(body ?? ''),
  ]
    .join('\n')
    .replaceAll(/\\[nrt]/g, '\n')
  for (const [, alias = '', name = ''] of text.matchAll(ALIAS)) add(alias, name)
  return aliases
}
