import { parse as parseArray } from 'postgres-array'
import * as postgresDate from 'postgres-date'
import { messageOf } from '@amodal/kernel'
import { parseExact } from '../data/exact-number.ts'
import { failure } from '../errors.ts'
import type { Row } from '../ports/database.ts'
import { DatabaseError } from './failures.ts'

/**
 * Every parameter of a statement as the wire takes it. Throws {@link DatabaseError} (SQLSTATE
 * 22023) for a value that is none.
 */
export function encodeAll(parameters: readonly unknown[]): (string | null)[] {
  try {
    return parameters.map(encodeValue)
  } catch (cause) {
    throw new DatabaseError(
      failure('STORE_FAILED', `a parameter is no value of a database: ${messageOf(cause)}`, {
        details: { sqlstate: '22023' },
        cause,
      }),
    )
  }
}

/**
 * A parameter as Postgres reads it: text, or `null`. One rule for both databases: strings, numbers
 * and booleans as they are, dates in ISO 8601, bytes in hex, arrays as Postgres arrays, every other
 * object as JSON. A JSON array or a JSON string is therefore given as `JSON.stringify(value)`.
 */
export function encodeValue(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'undefined':
      return null
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return encodeArray(value)
      if (value instanceof Date) return value.toISOString()
      if (value instanceof Uint8Array)
        return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
      return JSON.stringify(value)
    default:
      throw new TypeError(`it is a ${typeof value}`)
  }
}

function encodeArray(items: readonly unknown[]): string {
  return `{${items
    .map((item) => {
      if (Array.isArray(item)) return encodeArray(item)
      const text = encodeValue(item)
      return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    })
    .join(',')}}`
}

type Decoder = (text: string) => unknown

/** How the rows of one statement look. */
export interface Shape {
  readonly names: readonly string[]
  readonly decoders: readonly Decoder[]
}

export function shapeOf(
  fields: readonly { readonly name: string; readonly dataTypeID: number }[],
): Shape {
  return {
    names: fields.map(({ name }) => name),
    decoders: fields.map(({ dataTypeID }) => DECODERS.get(dataTypeID) ?? asText),
  }
}

export function decodeRow({ names, decoders }: Shape, fields: readonly (string | null)[]): Row {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) {
    const text = fields[at] ?? null
    row[names[at] ?? ''] = text === null ? null : (decoders[at] ?? asText)(text)
  }
  return row
}

const asText: Decoder = (text) => text
const asBoolean: Decoder = (text) => text === 't'
/** 64 bits: a number as far as numbers are exact, text beyond. */
const asInteger: Decoder = (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text)
const asJson: Decoder = (text): unknown => parseExact(text)
// In hex, the default output format of servers for bytes. The package for this one line,
// postgres-bytea, also loads two stream classes.
const asBytes: Decoder = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))

const ZONE = /[+-]\d\d(?::\d\d){0,2}$/

// its types speak of a default export; what it exports is the function
const parseTime = postgresDate.default as unknown as (text: string) => Date | number | null

/**
 * A `Date`; a time without a zone is taken as UTC, which the library would take as that of this
 * machine. `infinity`, years before Christ and those past the last of a `Date` stay text.
 */
const asTime: Decoder = (text) => {
  const time = parseTime(ZONE.test(text) ? text : `${text}+00`)
  return time instanceof Date && !Number.isNaN(time.getTime()) ? time : text
}

const arrayOf =
  (item: Decoder): Decoder =>
  (text) =>
    parseArray(text, item)

/**
 * Type numbers of `pg_type`, each with the number of its array type. Every other type arrives as
 * text.
 */
const TYPES: readonly (readonly [
  decoder: Decoder,
  oids: readonly (readonly [type: number, array: number])[],
])[] = [
  [asBoolean, [[16, 1000]]],
  [
    asInteger,
    [
      [20, 1016],
      [21, 1005],
      [23, 1007],
      [26, 1028],
    ],
  ],
  [
    Number,
    [
      [700, 1021],
      [701, 1022],
    ],
  ],
  [
    asJson,
    [
      [114, 199],
      [3802, 3807],
    ],
  ],
  [
    asTime,
    [
      [1114, 1115],
      [1184, 1185],
    ],
  ],
  [asBytes, [[17, 1001]]],
  [
    asText,
    [
      [25, 1009],
      [1043, 1015],
      [1042, 1014],
      [19, 1003],
      [2950, 2951],
      [1082, 1182],
      [1700, 1231],
    ],
  ],
]

const DECODERS: ReadonlyMap<number, Decoder> = new Map(
  TYPES.flatMap(([decoder, oids]) =>
    oids.flatMap(([type, array]): [number, Decoder][] => [
      [type, decoder],
      [array, arrayOf(decoder)],
    ]),
  ),
)
