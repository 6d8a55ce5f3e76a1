import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { snakeCase } from './part.ts'

const PLACE = /\{\{([^{}]+)\}\}/g
const ALONE = /^\{\{([^{}]+)\}\}$/

/**
 * Fields that hold data, and not texts for the agent or the judge: a place that is alone there
 * becomes the value of the row, such as an object.
 */
const DATA: ReadonlySet<string> = new Set([
  'tools',
  'stores',
  'state',
  'answers',
  'json_schema',
  'tool_args',
  'store',
])

/** Whether a text in it has a place such as `{{question}}`. */
export function hasPlaces(value: Json): boolean {
  if (typeof value === 'string') return value.search(PLACE) !== -1
  if (isList(value)) return value.some(hasPlaces)
  return isObject(value) && Object.values(value).some(hasPlaces)
}

/**
 * A value with `{{field}}` in its texts replaced by the fields of a row. What a row puts in is not
 * filled again.
 *
 * @param onMissing is told of each field that the row does not have
 * @example fill({ input: 'Is {{n}} even?' }, { n: 4 }, () => {}) // { input: 'Is 4 even?' }
 */
export function fill(
  value: JsonObject,
  row: JsonObject,
  onMissing: (field: string) => void,
): JsonObject {
  return fillObject(value, { row, onMissing }, false)
}

interface Filling {
  readonly row: JsonObject
  readonly onMissing: (field: string) => void
}

/** The same object where nothing changes: what rows have in common is shared by their cases. */
function fillObject(value: JsonObject, filling: Filling, isData: boolean): JsonObject {
  const fields = Object.entries(value).map(
    ([name, inner]) =>
      [name, fillValue(inner, filling, isData || DATA.has(snakeCase(name)))] as const,
  )
  return fields.some(([name, inner]) => inner !== value[name]) ? Object.fromEntries(fields) : value
}

function fillValue(value: Json, filling: Filling, isData: boolean): Json {
  if (isList(value)) {
    const items = value.map((item) => fillValue(item, filling, isData))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (isObject(value)) return fillObject(value, filling, isData)
  return typeof value === 'string' ? fillText(value, filling, isData) : value
}

function fillText(text: string, { row, onMissing }: Filling, isData: boolean): Json {
  const alone = isData ? ALONE.exec(text.trim())?.[1]?.trim() : undefined
  if (alone !== undefined && Object.hasOwn(row, alone)) return row[alone] ?? null
  return text.replaceAll(PLACE, (place, written: string) => {
    const field = written.trim()
    const found = Object.hasOwn(row, field) ? (row[field] ?? null) : null
    if (found === null) onMissing(field)
    return found === null ? place : textOf(found)
  })
}

const textOf = (value: Json): string =>
  isObject(value) || isList(value) ? JSON.stringify(value) : String(value)
