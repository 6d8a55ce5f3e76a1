import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import { nameKey } from '@amodal/sdk/connections'

/** Rows of which a person may see only their own. */
export interface Scoped {
  readonly field: string
  readonly expected: string
  readonly label: string
  /**
   * The answer holds rows of this kind: one that does not say whose it is, is left out. Else only
   * those that say it is another's.
   */
  readonly strict: boolean
}

export interface Filtered {
  readonly value: Json
  /** Rows left out. */ readonly removed: number
  /** Nothing of it may be seen. */ readonly nothing: boolean
}

type Ownership = 'own' | 'other' | 'unsaid'

/**
 * Takes out of an answer what belongs to others: rows of lists at any depth that say so, and, where
 * the answer is known to hold such rows, those that do not say whose they are.
 *
 * @example
 * filterRows(
 *   {
 *     data: [
 *       { id: 1, owner_id: 'me' },
 *       { id: 2, owner_id: 'you' },
 *     ],
 *   },
 *   [mine],
 * )
 * // → { value: { data: [{ id: 1, … }] }, removed: 1, nothing: false }
 */
export function filterRows(value: Json, scopes: readonly Scoped[]): Filtered {
  if (scopes.length === 0) return { value, removed: 0, nothing: false }
  const filter = new Filter(scopes)
  const kept = filter.value(value, 0)
  return { value: kept, removed: filter.removed, nothing: filter.nothing(value) }
}

/** Whether a row that was read is somebody's own, for a write to it. */
export function isOwn(value: Json, scopes: readonly Scoped[]): boolean {
  const rows = isObject(value) ? [value, ...Object.values(value).filter(isObject)] : []
  return scopes.every(
    (scope) =>
      rows.some((row) => ownershipOf(row, scope) === 'own') &&
      !rows.some((row) => ownershipOf(row, scope) === 'other'),
  )
}

/**
 * Levels at which lists hold the rows themselves: the answer, a field of it (`data`), a field of
 * that (`data.deals`).
 */
const ROW_LEVELS = 2

class Filter {
  removed = 0
  #own = 0
  #other = false
  readonly #scopes: readonly Scoped[]

  constructor(scopes: readonly Scoped[]) {
    this.#scopes = scopes
  }

  value(value: Json, level: number): Json {
    if (isList(value)) {
      return value.flatMap((item) => {
        if (isObject(item) && this.#hides(item, level <= ROW_LEVELS)) {
          this.removed++
          return []
        }
        return [this.value(item, level + 1)]
      })
    }
    if (!isObject(value)) return value
    if (this.#scopes.some((scope) => ownershipOf(value, scope) === 'own')) this.#own++
    if (this.#scopes.some((scope) => ownershipOf(value, scope) === 'other')) this.#other = true
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (
          !isObject(inner) ||
          !this.#scopes.some((scope) => ownershipOf(inner, scope) === 'other')
        )
          return [name, this.value(inner, level + 1)]
        this.removed++
        return [name, null]
      }),
    )
  }

  /** A single row that is another's, or does not say whose it is. */
  nothing(whole: Json): boolean {
    if (this.#other) return true
    if (!isObject(whole) || !this.#scopes.some(({ strict }) => strict)) return false
    return this.#own === 0 && this.removed === 0 && !isEmptyEnvelope(whole)
  }

  #hides(row: JsonObject, rowLevel: boolean): boolean {
    return this.#scopes.some((scope) => {
      const ownership = ownershipOf(row, scope)
      return (
        ownership === 'other' ||
        (ownership === 'unsaid' && scope.strict && rowLevel && !holdsRows(row))
      )
    })
  }
}

/** `{ data: [], total: 0 }`: there is nothing to hide. */
function isEmptyEnvelope(value: JsonObject): boolean {
  if (Object.keys(value).some((name) => /^(id|_id|uuid|key)$/i.test(name))) return false
  return Object.values(value).some(
    (inner) =>
      inner === null ||
      (isList(inner) && inner.length === 0) ||
      (isObject(inner) && isEmptyEnvelope(inner)),
  )
}

/**
 * An edge of a connection, a resource with attributes: the row is one level further down, and is
 * judged there.
 */
const holdsRows = (row: JsonObject): boolean =>
  Object.keys(row).length > 0 &&
  Object.values(row).every((inner) => isObject(inner) || isList(inner))

function ownershipOf(row: JsonObject, { field, expected }: Scoped): Ownership {
  const value = fieldOf(row, field.split('.'))
  if (value === undefined || value === null) return 'unsaid'
  const owner = isObject(value) ? value['id'] : value
  if (owner === undefined) return 'unsaid'
  if (isObject(value)) return says(owner, expected) ? 'own' : 'other'
  if (isList(value)) return value.some((one) => says(one, expected)) ? 'own' : 'other'
  return says(value, expected) ? 'own' : 'other'
}

const says = (value: Json, expected: string): boolean =>
  (typeof value === 'string' || isNumber(value)) && String(value) === expected

/** `owner_id` is also `ownerId`. */
function fieldOf(row: Json, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return row
  if (!isObject(row)) return undefined
  const found = Object.keys(row).find((key) => plain(key) === plain(name))
  return found === undefined ? undefined : fieldOf(row[found] ?? null, rest)
}

const plain = (name: string): string => nameKey(name).replaceAll(/[_-]/g, '')
