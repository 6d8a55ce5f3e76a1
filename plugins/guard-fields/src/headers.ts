import { isList, isObject, type Json } from '@amodal/sdk'
import { isHeader } from './formats/index.ts'
import { plainName } from './names.ts'

/**
 * Names of columns, as a list somewhere in an answer gives them; each may be spelled in several
 * ways.
 */
export interface Header {
  readonly names: readonly (readonly string[])[]
  /** It says itself that it names columns, so that a table below it is understood. */
  readonly sure: boolean
  readonly list: Json
}

/** Fields that hold names of columns. */
const HEADERS: ReadonlySet<string> = new Set([
  'columns',
  'cols',
  'col',
  'headers',
  'header',
  'head',
  'heads',
  'fields',
  'fieldnames',
  'names',
  'keys',
  'schema',
  'columnnames',
  'columnheaders',
  'colnames',
  'labels',
  'properties',
  'attributes',
  'th',
  'thead',
  'dimensions',
  'columndefs',
  'metadata',
  'description',
])
/** Fields by which a column is called. */
const CALLED: ReadonlySet<string> = new Set([
  'name',
  'key',
  'field',
  'id',
  'label',
  'title',
  'column',
  'columnname',
  'header',
  'headername',
  'text',
  'displayname',
  'fieldname',
  'path',
  'property',
  'dataindex',
  'accessor',
  'alias',
  'prop',
  'attribute',
  'data',
  'caption',
])
const MOST_COLUMNS = 500
const MOST_HEADERS = 200

/**
 * All lists of an answer that may name the columns of its tables. Only answers that have lists of
 * lists, or rows of lists, need them.
 */
export function headersIn(root: Json, isRestricted: (name: string) => boolean): readonly Header[] {
  const found: Header[] = []
  const visit = (value: Json, name: string): void => {
    if (found.length >= MOST_HEADERS || !(isObject(value) || isList(value))) return
    const header = headerOf(value, HEADERS.has(plainName(name)), isRestricted)
    if (header) found.push(header)
    // A list of names holds no further ones, and rows hold none at all.
    if (isList(value)) {
      if (!header && value.some((one) => isObject(one) || isList(one)))
        for (const inner of value) visit(inner, '')
    } else for (const inner in value) visit(value[inner] ?? null, inner)
  }
  visit(root, '')
  return found
}

function headerOf(
  value: Json,
  sure: boolean,
  isRestricted: (name: string) => boolean,
): Header | undefined {
  if (isObject(value)) {
    const places = Object.entries(value)
    // `{ id: 0, name: 1 }`: where each column stands.
    if (
      places.length < 2 ||
      !places.every(
        ([, at]) => typeof at === 'number' && Number.isInteger(at) && at >= 0 && at < places.length,
      ) ||
      new Set(places.map(([, at]) => at)).size < places.length
    )
      return undefined
    return {
      names: [...places].sort(([, a], [, b]) => Number(a) - Number(b)).map(([name]) => [name]),
      sure,
      list: value,
    }
  }
  if (!isList(value) || value.length === 0 || value.length > MOST_COLUMNS) return undefined
  const names = value.map(callingsOf)
  if (!names.every((one) => one.length > 0)) return undefined
  const plain = value.every((one) => typeof one === 'string')
  const known = isHeader(
    names.map(([first]) => first),
    isRestricted,
  )
  if (!sure && !known && !(plain && names.some((one) => one.some(isRestricted)))) return undefined
  return { names, sure: sure || known, list: value }
}

function callingsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return []
  const called = Object.entries(value).flatMap(([name, said]) =>
    typeof said === 'string' && CALLED.has(plainName(name)) ? [said] : [],
  )
  // `{ column: { name: 'ssn' } }`
  return called.length > 0
    ? called
    : Object.values(value)
        .filter(isObject)
        .flatMap((inner) =>
          Object.entries(inner).flatMap(([name, said]) =>
            typeof said === 'string' && CALLED.has(plainName(name)) ? [said] : [],
          ),
        )
}
