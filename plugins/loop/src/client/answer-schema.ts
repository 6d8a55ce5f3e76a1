import { createRequire } from 'node:module'
import { isList, isObject, type Json, type JsonObject, trySync } from '@amodal/sdk'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type * as Draft2020 from 'ajv/dist/2020.js'
import type * as Formats from 'ajv-formats'
import type * as Re2 from 're2js'

const load = createRequire(import.meta.url)

/** Loaded on first use: most questions have options or a plain schema, and need none of these. */
const libraries = {
  draft2020: () => load('ajv/dist/2020.js') as typeof Draft2020,
  formats: () => load('ajv-formats') as typeof Formats.default,
  patterns: () => load('re2js') as typeof Re2,
}

/** Keywords that the basic checks cover, or that restrict no values. */
const PLAIN: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'enumNames',
  'type',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minimum',
  'maximum',
  'maxLength',
])

/**
 * Where and why an answer violates keywords such as `pattern`, `format` and `minItems`. A schema
 * that cannot be compiled accepts every answer.
 */
export function misfitOfSchema(schema: JsonObject, answer: JsonObject): string | undefined {
  if (isPlain(schema)) return undefined
  const compiled = trySync(
    () => compile(schema),
    () => undefined,
  )
  if (!compiled.ok || compiled.value(answer)) return undefined
  const [error] = compiled.value.errors ?? []
  return error && problemOf(error)
}

function isPlain(schema: JsonObject): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    if (!PLAIN.has(keyword)) return false
    switch (keyword) {
      case 'type':
        return typeof value === 'string'
      case 'enum':
        return isList(value) && value.every((one) => typeof one !== 'object')
      case 'items':
        return isPlainPart(value)
      case 'additionalProperties':
        return typeof value === 'boolean'
      case 'properties':
        return isObject(value) && Object.values(value).every(isPlainPart)
      default:
        return true
    }
  })
}

const isPlainPart = (part: Json): boolean => isObject(part) && isPlain(part)

function compile({ $schema: _dialect, $id: _id, ...schema }: JsonObject): ValidateFunction {
  const ajv = new (libraries.draft2020().Ajv2020)({
    strict: false,
    logger: false,
    ownProperties: true,
    code: { regExp: linear },
  })
  libraries.formats().default(ajv)
  return ajv.compile(schema)
}

/**
 * Patterns come from tools and servers and run on user input, so they are matched in linear time. A
 * pattern that the engine does not support counts as matched.
 */
const linear = Object.assign(
  (pattern: string) => {
    const { RE2JS } = libraries.patterns()
    const compiled = trySync(
      () => RE2JS.compile(RE2JS.translateRegExp(pattern)),
      () => undefined,
    )
    // Ajv identifies a pattern by its text.
    return {
      test: (text: string): boolean => !compiled.ok || compiled.value.matcher(text).find(),
      toString: () => pattern,
    }
  },
  { code: 'linear' },
)

/** Uses the wording and the paths of the basic checks. */
function problemOf({
  instancePath,
  keyword,
  params,
  message = 'does not fit',
}: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const at = path.reduce(
    (before, part) => (/^\d+$/.test(part) ? `${before}[${part}]` : `${before}.${part}`),
    'answer',
  )
  switch (keyword) {
    case 'required':
      return `${at}.${String(params['missingProperty'])}: is missing`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${at}.${String(params['additionalProperty'] ?? params['unevaluatedProperty'])}: is not known`
    case 'const':
      return `${at}: must be ${JSON.stringify(params['allowedValue'])}`
    case 'enum':
      return `${at}: must be one of ${JSON.stringify(params['allowedValues'])}`
    default:
      return `${at}: ${message}`
  }
}
