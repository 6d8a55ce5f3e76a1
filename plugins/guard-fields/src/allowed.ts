import { type AccessRule, isList, isObject, type Json } from '@amodal/sdk'
import { tableIn, tableOf } from './formats/tables.ts'
import { stemOf, stepsOf } from './names.ts'

/** Whatever is not restricted, in any form. */
const ANYTHING = '*'

/** What `allow_fields` lets through: of several rules for one request, what all of them do. */
export class Allowed {
  readonly #lists: readonly (readonly (readonly string[])[])[]
  /** The author of the rules says that the answer may be told whatever it looks like. */
  readonly anything: boolean
  /** What is left then may be told as it stands. */
  readonly vouched: boolean

  constructor(rules: readonly AccessRule[], isPlain: boolean) {
    const given = rules.flatMap(({ allowFields }) => (allowFields ? [allowFields] : []))
    const lists = given.filter((names) => !names.includes(ANYTHING))
    this.#lists = lists.map((names) => names.map(stepsOf))
    this.vouched = isPlain && given.length > 0
    this.anything = isPlain && given.length > 0 && lists.length === 0
  }

  /** A value with the named fields of its objects only, at any depth. */
  only(value: Json): Json {
    return this.#lists.reduce((left, names) => kept(left, names, []) ?? null, value)
  }
}

/** `undefined`: nothing of it may pass. */
function kept(
  value: Json,
  names: readonly (readonly string[])[],
  path: readonly string[],
): Json | undefined {
  if (isList(value)) return value.flatMap((inner) => kept(inner, names, path) ?? [])
  if (!isObject(value)) return undefined
  const table = tableIn(value)
  if (table) {
    const passes = table.columns.map((column) =>
      names.some((steps) => steps.at(-1) === stemOf(column)),
    )
    return tableOf(
      table.columns,
      table.rows.map((row) => row.map((cell, at) => (passes[at] ? cell : ''))),
    )
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const own = [...path, stemOf(name)]
      if (
        names.some(
          (steps) =>
            steps.length <= own.length &&
            steps.every((step, at) => step === own[own.length - steps.length + at]),
        )
      )
        return [[name, inner]]
      const below = kept(inner, names, own)
      return below === undefined ? [] : [[name, below]]
    }),
  )
}
