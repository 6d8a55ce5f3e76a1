import type { AccessRules, Action, Connection, FieldRestriction } from '@amodal/sdk'
import { aliasesOf, isPlain, rulesFor } from './matching.ts'
import { endingsOf, type NameCache, stemOf, stepsOf } from './names.ts'

/** A restricted field, prepared for matching. */
interface Field {
  readonly restriction: FieldRestriction
  readonly entity: string
  readonly steps: readonly string[]
}

/**
 * A restricted field that a name may refer to. `anywhere`: the name includes the entity;
 * `in entity`: it is the whole field; `at path`: it is the last step of the field's path.
 */
interface Candidate extends Field {
  readonly place: 'anywhere' | 'in entity' | 'at path'
}

/** The strictest first. */
const ORDER: Readonly<Record<FieldRestriction['policy'], number>> = {
  never_retrieve: 0,
  role_gated: 1,
  retrieve_but_redact: 2,
}
/** The restrictions of an `access.json`, prepared once. */
interface Prepared {
  readonly fields: readonly Field[]
  readonly entities: readonly string[]
  readonly candidates: ReadonlyMap<string, readonly Candidate[]>
}
const prepared = new WeakMap<AccessRules, Prepared>()

function prepare(access: AccessRules): Prepared {
  const known = prepared.get(access)
  if (known) return known
  const fields = access.fieldRestrictions
    .map((restriction): Field => ({
      restriction,
      entity: stemOf(restriction.entity),
      steps: stepsOf(restriction.field),
    }))
    .sort((one, other) => ORDER[one.restriction.policy] - ORDER[other.restriction.policy])
  const candidates = new Map<string, Candidate[]>()
  const add = (name: string, candidate: Candidate): void =>
    void candidates.set(name, [...(candidates.get(name) ?? []), candidate])
  for (const field of fields) {
    const whole = field.steps.join('')
    add(field.entity + whole, { ...field, place: 'anywhere' })
    add(whole, { ...field, place: 'in entity' })
    if (field.steps.length > 1) add(field.steps.at(-1) ?? '', { ...field, place: 'at path' })
  }
  const result = { fields, entities: [...new Set(fields.map(({ entity }) => entity))], candidates }
  prepared.set(access, result)
  return result
}

/** The restrictions that apply to the response of one action. */
export class Restricted {
  readonly #prepared: Prepared
  /** Entities that the rules say the response holds; `undefined`: it may be any. */
  readonly #returned: ReadonlySet<string> | undefined
  readonly #aliases: ReadonlyMap<string, readonly string[]>
  readonly #names: NameCache

  constructor({ access }: Pick<Connection, 'access'>, action: Action, names: NameCache) {
    this.#prepared = prepare(access)
    const returned = isPlain(action)
      ? rulesFor(access, action).flatMap(({ returns }) => returns)
      : []
    this.#returned = returned.length === 0 ? undefined : new Set(returned.map(stemOf))
    this.#aliases = aliasesOf(action)
    this.#names = names
  }

  /** Those that the rules say the response may hold. */
  get expected(): readonly FieldRestriction[] {
    return this.#prepared.fields
      .filter(({ entity }) => this.#returned === undefined || this.#returned.has(entity))
      .map(({ restriction }) => restriction)
  }

  /** Entities that the value of a field may be, by its name: `primary_contact`, `contacts`. */
  entitiesOf(name: string, above: ReadonlySet<string>): ReadonlySet<string> {
    const { stem } = this.#names.of(name)
    const own = this.#prepared.entities.filter((one) => stem.endsWith(one) && !above.has(one))
    return own.length === 0 ? above : new Set([...above, ...own])
  }

  /**
   * The strictest restriction of a field.
   *
   * @param path stems of the fields that it is in; left out where nothing says where the field is,
   *   such as for a column
   */
  of(
    name: string,
    entities: ReadonlySet<string>,
    path?: readonly string[],
  ): FieldRestriction | undefined {
    const { stem } = this.#names.of(name)
    for (const own of [name, ...(this.#aliases.get(stem) ?? [])]) {
      const restriction = this.#find(this.#names.of(own).stem, entities, path)
      if (restriction) return restriction
      // A name that is a path counts as its last step: `person.ssn`, `/contact/email`.
      const steps = /[./:[]/.test(own) ? stepsOf(own) : []
      const last = steps.pop()
      if (last !== undefined) {
        const found = this.#find(last, entities, path && [...path, ...steps])
        if (found) return found
      }
      for (const ending of endingsOf(own)) {
        const found = this.#find(ending, entities, path)
        if (found) return found
      }
    }
    return undefined
  }

  #find(
    stem: string,
    entities: ReadonlySet<string>,
    path: readonly string[] | undefined,
  ): FieldRestriction | undefined {
    return this.#prepared.candidates.get(stem)?.find(({ place, entity, steps }) => {
      if (place === 'anywhere') return true
      const isEntity =
        this.#returned === undefined || this.#returned.has(entity) || entities.has(entity)
      return isEntity && (place === 'in entity' || path === undefined || endsWith(path, steps))
    })?.restriction
  }
}

/** Whether a path ends with all steps of a field but its last one. */
const endsWith = (path: readonly string[], steps: readonly string[]): boolean =>
  steps.slice(0, -1).every((step, at) => step === path[path.length - steps.length + 1 + at])

/** Whether somebody with these roles gets the field as it is. */
export const maySee = (
  { policy, allowedRoles }: FieldRestriction,
  roles: readonly string[],
): boolean => policy === 'role_gated' && allowedRoles.some((role) => roles.includes(role))
