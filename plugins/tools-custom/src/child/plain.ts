import { ExactNumber } from './exact-number.ts'

type Plain =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly Plain[]
  | { readonly [key: string]: Plain }

const DEEPEST = 100

/**
 * Converts the return value of a handler to JSON, or reports what cannot be converted. Dates, maps,
 * sets, big integers and URLs have a JSON form; functions, streams, promises and cycles have not.
 */
export function plain(value: unknown, path = 'the result', above: readonly object[] = []): Plain {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number')
    return Number.isFinite(value) ? value : refuse(path, `is ${value}`, 'JSON has no such number')
  if (typeof value === 'bigint') return value.toString()
  if (value === undefined) return null
  if (typeof value === 'function' || typeof value === 'symbol')
    return refuse(path, `is a ${typeof value}`, 'return data')
  if (value instanceof ExactNumber) return value
  if (typeof value !== 'object') return refuse(path, 'is no data', 'return data')
  if (above.includes(value)) return refuse(path, 'contains itself', 'return a tree')
  if (above.length >= DEEPEST)
    return refuse(path, `lies more than ${DEEPEST} levels deep`, 'return less')
  return plainObject(value, path, [...above, value])
}

function plainObject(value: object, path: string, above: readonly object[]): Plain {
  const item = (key: unknown, one: unknown): Plain => plain(one, `${path}.${String(key)}`, above)
  if (Array.isArray(value)) return value.map((one: unknown, index) => item(index, one))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null)
    return properties(entriesOf(value, item))
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? refuse(path, 'is a date that is none', 'check it')
      : value.toISOString()
  if (value instanceof URL || value instanceof URLSearchParams || value instanceof RegExp)
    return String(value)
  if (value instanceof Error) return value.message
  if (value instanceof Map)
    return properties(
      [...value].map(([key, one]: [unknown, unknown]) => [String(key), item(key, one)]),
    )
  if (value instanceof Set) return [...value].map((one: unknown, index) => item(index, one))
  if (value instanceof Promise) return refuse(path, 'is a promise', 'await it')
  if (value instanceof Response || value instanceof Request)
    return refuse(
      path,
      `is a ${value.constructor.name}`,
      'return what `await response.json()` or `.text()` gives',
    )
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return refuse(path, 'is bytes', 'return text, such as base64')
  if (Symbol.asyncIterator in value)
    return refuse(path, 'is a stream', 'read it, and return what it holds')
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return plain((value.toJSON as () => unknown)(), path, above)
  return properties(entriesOf(value, item))
}

const entriesOf = (
  value: object,
  item: (key: string, one: unknown) => Plain,
): readonly (readonly [string, Plain])[] =>
  Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([key, one]: [string, unknown]) => [key, item(key, one)])

const properties = (entries: readonly (readonly [string, Plain])[]): Plain =>
  Object.fromEntries(entries)

function refuse(path: string, is: string, instead: string): never {
  throw new TypeError(`${path} ${is}, which cannot be sent: ${instead}`)
}
