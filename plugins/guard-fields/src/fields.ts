import { type AccessRules, type Action, type Connection, type FieldRestriction, isObject, type Json } from '@amodal/sdk'
import { isPlain, rulesFor } from './matching.ts'
import { type Names, stemOf, stepsOf } from './names.ts'

/** A restricted field, ready to be looked for. */
export interface Field {
  readonly restriction: FieldRestriction
  readonly entity: string
  readonly steps: readonly string[]
  /** `contactssn` is the `ssn` of a contact. */
  readonly joined: string
}

/** The strictest first. */
const ORDER: Readonly<Record<FieldRestriction['policy'], number>> = { never_retrieve: 0, role_gated: 1, retrieve_but_redact: 2 }
/** Fields in which data says of itself what it is. They only add: whoever writes the data may write them too. */
const HINTS: ReadonlySet<string> = new Set(['entity', 'entitytype', 'type', 'typename', 'object', 'objecttype', 'kind', 'resourcetype', 'recordtype', 'model'])

/** What stands in `access.json`, prepared once. */
interface Prepared {
  readonly fields: readonly Field[]
  readonly entities: ReadonlySet<string>
  /** What the name of a restricted field may be: most names of an answer are none of these. */
  readonly names: ReadonlySet<string>
  /** Fields of some entities, by the names of these. */
  readonly of: Map<string, readonly Field[]>
}
const prepared = new WeakMap<AccessRules, Prepared>()

function prepare(access: AccessRules): Prepared {
  const known = prepared.get(access)
  if (known) return known
  const fields = access.fieldRestrictions.map((restriction): Field => {
    const entity = stemOf(restriction.entity)
    const steps = stepsOf(restriction.field)
    return { restriction, entity, steps, joined: entity + steps.join('') }
  }).sort((one, other) => ORDER[one.restriction.policy] - ORDER[other.restriction.policy])
  const names = new Set(fields.flatMap(({ steps, joined }) => [joined, ...steps.slice(-1)]))
  const made = { fields, entities: new Set(fields.map(({ entity }) => entity)), names, of: new Map<string, readonly Field[]>() }
  prepared.set(access, made)
  return made
}

/** What is restricted in the answer to one action. */
export class Restricted {
  readonly #prepared: Prepared
  /** Entities that the rules say the answer holds; `undefined`: it may be any. */
  readonly #returned: ReadonlySet<string> | undefined
  readonly #aliases: ReadonlyMap<string, readonly string[]>

  constructor({ access }: Pick<Connection, 'access'>, action: Action) {
    this.#prepared = prepare(access)
    const returned = isPlain(action) ? rulesFor(access, action).flatMap(({ returns }) => returns) : []
    this.#returned = returned.length === 0 ? undefined : new Set(returned.map(stemOf))
    this.#aliases = aliasesOf(action)
  }

  /** Entities that an object may be, by the rules, by the field it stands in and by what it says of itself. */
  entitiesIn(value: Readonly<Record<string, Json>>, above: ReadonlySet<string>, names: Names): ReadonlySet<string> {
    let all = above
    for (const name in value) {
      const inner = value[name]
      const said = HINTS.has(names.plain(name)) ? inner : name === 'attributes' && isObject(inner) ? inner['type'] : undefined
      if (typeof said === 'string') all = this.#with(all, stemOf(said))
    }
    return all
  }

  /** The same for what stands in a field, by the stem of its name: `primarycontact`, `contact`. */
  entitiesOf(stem: string, above: ReadonlySet<string>): ReadonlySet<string> {
    let all = above
    for (const entity of this.#prepared.entities) if (stem.endsWith(entity)) all = this.#with(all, entity)
    return all
  }

  /** The strictest restriction of the field at the end of a path. */
  at(path: readonly string[], entities: ReadonlySet<string>): FieldRestriction | undefined {
    const last = path.at(-1) ?? ''
    const { names } = this.#prepared
    const aliases = this.#aliases.get(last) ?? []
    if (!names.has(last) && !aliases.some((real) => names.has(real))) return undefined
    const paths = [path, ...aliases.map((real) => [...path.slice(0, -1), real])]
    return this.#prepared.fields.find(({ entity, steps, joined }) => paths.some((own) => {
      if (own.at(-1) === joined) return true
      const tail = own.slice(-steps.length)
      return this.#speaksOf(entity, entities) && tail.length === steps.length && steps.every((step, index) => step === tail[index])
    }))?.restriction
  }

  /** Restrictions of texts, where only the name of a field can say which it is. */
  named(entities: ReadonlySet<string>): readonly Field[] {
    const { fields, of } = this.#prepared
    if (this.#returned === undefined) return fields
    const name = [...this.#returned, ...entities].sort().join(' ')
    const own = of.get(name) ?? fields.filter(({ entity }) => this.#speaksOf(entity, entities))
    of.set(name, own)
    return own
  }

  #speaksOf(entity: string, entities: ReadonlySet<string>): boolean {
    return this.#returned === undefined || this.#returned.has(entity) || entities.has(entity)
  }

  #with(above: ReadonlySet<string>, entity: string): ReadonlySet<string> {
    return this.#prepared.entities.has(entity) && !above.has(entity) ? new Set([...above, entity]) : above
  }
}

const ALIAS = /([_A-Za-z]\w*)\s*:\s*([_A-Za-z]\w*)/g

/** In GraphQL whoever asks may give a field another name. */
function aliasesOf({ method, body, query }: Action): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>()
  if (method !== 'QUERY' && method !== 'MUTATION') return aliases
  const text = [...(query['query'] ?? []), typeof body === 'string' ? body : JSON.stringify(body ?? '')].join('\n').replaceAll('\\n', '\n')
  for (const [, alias = '', real = ''] of text.matchAll(ALIAS)) aliases.set(stemOf(alias), [...aliases.get(stemOf(alias)) ?? [], stemOf(real)])
  return aliases
}
