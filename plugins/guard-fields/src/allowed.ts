import { type AccessRule, isList, isObject, type Json } from '@amodal/sdk'
import { picked } from './json-values.ts'
import { stemOf, stepsOf } from './names.ts'
import { tableIn } from './parsed-text.ts'

/** Whatever is not restricted, in any form. */
const ANYTHING = '*'

/** The fields that `allow_fields` lets through; with several rules, the fields that all allow. */
export interface Allowed {
  /** `"*"`: the response may pass in any form. */
  readonly anything: boolean
  /** What remains after filtering may pass as it is. */
  readonly vouched: boolean
  /**
   * A value with the named fields of its objects only, at any depth; `undefined`: nothing says
   * which they are.
   *
   * @param mark what stands in place of a text that is left out
   */
  only(value: Json, mark: () => string): Json | undefined
}

/** Names of one rule, each as its steps; `undefined` where it lets everything through. */
export type Names = readonly (readonly string[])[]

/** What one rule says; `undefined`: whatever is not restricted, in any form. */
export const namesOf = (allowFields: readonly string[]): Names | undefined =>
  allowFields.includes(ANYTHING) ? undefined : allowFields.map(stepsOf)

/** A response whose fields have the names that rules use. */
export class AllowedByName implements Allowed {
  readonly #lists: readonly Names[]
  readonly anything: boolean
  readonly vouched: boolean

  constructor(rules: readonly AccessRule[], isPlain: boolean) {
    const given = rules.flatMap(({ allowFields }) => (allowFields ? [allowFields] : []))
    this.#lists = given.flatMap((fields) => {
      const names = namesOf(fields)
      return names ? [names] : []
    })
    this.vouched = isPlain && given.length > 0
    this.anything = this.vouched && this.#lists.length === 0
  }

  only(value: Json): Json {
    return this.#lists.reduce((left, names) => allowedPart(left, names, []) ?? null, value)
  }
}

/** Whether a field is named, by its own name or by the end of the path to it. */
export const isNamed = (names: Names, path: readonly string[]): boolean =>
  names.some(
    (steps) =>
      steps.length <= path.length &&
      steps.every((step, at) => step === path[path.length - steps.length + at]),
  )

/** `undefined`: nothing of it may pass. */
export function allowedPart(value: Json, names: Names, path: readonly string[]): Json | undefined {
  if (isList(value)) return value.flatMap((inner) => allowedPart(inner, names, path) ?? [])
  if (!isObject(value)) return undefined
  const table = tableIn(value)
  if (table) {
    const passes = table.columns.map((column) =>
      names.some((steps) => steps.at(-1) === stemOf(column)),
    )
    const rows = table.rows.map((row) => row.map((cell, at) => (passes[at] ? cell : '')))
    return { columns: table.columns, rows }
  }
  return picked(value, (name, inner) => {
    const own = [...path, stemOf(name)]
    return isNamed(names, own) ? inner : allowedPart(inner, names, own)
  })
}
