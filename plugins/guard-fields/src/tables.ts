import { type FieldRestriction, isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import { isNameLike, plainName } from './names.ts'

/** The restriction of a name where nothing says where its field is. */
type RestrictionOf = (name: string) => FieldRestriction | undefined
/** Restricted columns by their position. */
export type Columns = ReadonlyMap<number, FieldRestriction>

/** Plain names of fields that hold the names of columns. */
const HEADERS: ReadonlySet<string> = new Set(
  'columns cols headers header head fields fieldnames names keys schema columnnames'.split(' '),
)
/** Plain names of fields in which an object says which field it is about. */
const NAMING: ReadonlySet<string> = new Set(
  'name key field label title id column property attribute path term parameter text k n'.split(' '),
)
/** What an object that is about a field says of the field itself, and not of its value. */
const META: ReadonlySet<string> = new Set(
  'type kind op operation action format datatype id order index code status rule'.split(' '),
)
/** What columns are called nearly everywhere; a row without such a name may be one of values. */
const COLUMN =
  /^(?:\w{1,30}[ _-])?(?:id|key|name|type|status|date|code|title|total|amount|count|created|updated|at)$/i
const MOST_COLUMNS = 500
/** Members of an object that is no more than the cell of a table: `{ v: 1 }`. */
const CELL = /^(?:v|f|t|w|value|val|text|raw|data|display|formatted|content|type|\w+value)$/i
/**
 * Members of an object, or cells of a row, up to which the name of a field in one of them makes the
 * others its values.
 */
export const FEW = 3

/** Whether a row names the columns of the rows below it. */
export const isHeader = (row: readonly Json[], restrictionOf: RestrictionOf): boolean =>
  row.length > 0 &&
  row.every((cell) => typeof cell === 'string' && isNameLike(cell)) &&
  row.some((cell) => typeof cell === 'string' && (COLUMN.test(cell.trim()) || restrictionOf(cell)))

/** The restricted columns below a row of names. */
export function columnsOf(names: readonly Json[], restrictionOf: RestrictionOf): Columns {
  const columns = new Map<number, FieldRestriction>()
  for (const [at, name] of names.entries()) {
    const restriction = callings(name).map(restrictionOf).find(Boolean)
    if (restriction) columns.set(at, restriction)
  }
  return columns
}

/** How a column is called: by its name, or by members of the object that describes it. */
function callings(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' && inner !== '' && NAMING.has(plainName(name)) ? [inner] : [],
  )
}

/** Whether a value is not an object with fields of its own. */
export const isCell = (value: Json): boolean =>
  !isObject(value) || Object.keys(value).every((name) => CELL.test(name))

/** Whether a list is a table: one of its lists holds a text or a number. */
export const isTable = (list: readonly Json[]): boolean =>
  list.some((row) => isList(row) && row.some((cell) => typeof cell === 'string' || isNumber(cell)))

/** Lists of a response that name the columns of tables elsewhere in it. */
export class Headers {
  readonly #byWidth = new Map<number, Columns>()
  readonly #lists = new Set<Json>()

  constructor(root: Json, restrictionOf: RestrictionOf) {
    const visit = (value: Json, field: string): void => {
      if (isList(value)) {
        if (this.#isHeader(value, field, restrictionOf)) {
          const known = this.#byWidth.get(value.length) ?? []
          this.#byWidth.set(value.length, new Map([...columnsOf(value, restrictionOf), ...known]))
          this.#lists.add(value)
          // A row of a table names no columns of another one.
        } else for (const inner of isTable(value) ? value.flat() : value) visit(inner, '')
      } else if (isObject(value)) for (const name in value) visit(value[name] ?? null, name)
    }
    visit(root, '')
  }

  /** The restricted columns of rows with so many cells; `undefined`: no list names columns. */
  ofWidth(width: number): Columns | undefined {
    return this.#byWidth.get(width)
  }

  /** Whether a list is one of the headers, and no row. */
  has(list: Json): boolean {
    return this.#lists.has(list)
  }

  #isHeader(list: readonly Json[], field: string, restrictionOf: RestrictionOf): boolean {
    if (list.length === 0 || list.length > MOST_COLUMNS) return false
    const names = list.map(callings)
    if (!names.every(([first]) => first !== undefined && isNameLike(first))) return false
    return (
      HEADERS.has(plainName(field)) ||
      (list.length > 1 && names.flat().some((name) => restrictionOf(name)))
    )
  }
}

/**
 * The field that an object is about by what it says itself, such as `{ name: 'ssn', value: … }` or
 * a step of a patch, with the members that may hold its value.
 */
export function namedValues(
  value: JsonObject,
  restrictionOf: RestrictionOf,
): { readonly restriction: FieldRestriction; readonly members: ReadonlySet<string> } | undefined {
  const names = Object.keys(value)
  if (names.length < 2) return undefined
  for (const name of names) {
    const label = value[name]
    if (names.length > FEW && !NAMING.has(plainName(name))) continue
    const last = isList(label) && name === 'path' ? label.at(-1) : label
    const restriction = typeof last === 'string' ? restrictionOf(last) : undefined
    if (!restriction) continue
    const members = names.filter((other) => other !== name && !isMeta(other, value[other] ?? null))
    return { restriction, members: new Set(members) }
  }
  return undefined
}

const isMeta = (name: string, value: Json): boolean =>
  typeof value === 'boolean' ||
  (META.has(plainName(name)) &&
    (Number.isSafeInteger(value) || (typeof value === 'string' && /^[A-Za-z_]{1,24}$/.test(value))))
