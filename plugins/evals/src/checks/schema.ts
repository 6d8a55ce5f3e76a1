import { createRequire } from 'node:module'
import { err, type Json, type JsonObject, messageOf, ok, type Result, trySync } from '@amodal/sdk'
import { withDoubles } from '@amodal/sdk/data'
import type * as Draft07 from 'ajv'
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import type * as Draft2020 from 'ajv/dist/2020.js'
import type * as Formats from 'ajv-formats'
import { compilePattern } from './pattern.ts'

/** Where a value does not fit a schema, and why; `undefined` where it fits. */
export type SchemaTest = (value: Json) => string | undefined

const load = createRequire(import.meta.url)

/** Loaded by the first schema. */
const libraries = {
  draft07: () => load('ajv') as typeof Draft07,
  draft2020: () => load('ajv/dist/2020.js') as typeof Draft2020,
  formats: () => load('ajv-formats') as typeof Formats.default,
}

/** Patterns of schemas run on what a model writes: in linear time. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern)
    if (!compiled.ok) throw new Error(compiled.error)
    // By its text ajv tells patterns apart.
    return { test: compiled.value, toString: () => pattern }
  },
  { code: 'linear' },
)

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  code: { regExp: linear },
  ownProperties: true,
}
/** Schemas are held against their own schema apart, since compiling that one takes long. */
const WITHOUT_META: Options = { ...OPTIONS, meta: false, validateSchema: false }
const MOST_PROBLEMS = 3

type Dialect = 'draft07' | 'draft2020'

/** What schemas are held against; they learn nothing from one schema for the next. */
const metaSchemas: Partial<Record<Dialect, Draft07.Ajv | Draft2020.Ajv2020>> = {}
/** Cases of one dataset share their schemas. */
const compiledBefore = new WeakMap<JsonObject, Result<SchemaTest, string>>()

/**
 * Makes a test from a JSON Schema: draft 2020-12, or draft-07 where `$schema` says so.
 *
 * @returns why the schema cannot be used
 * @example
 * const test = compileSchema({ type: 'object', required: ['id'] })
 * if (test.ok) test.value({}) // 'id: is required'
 */
export function compileSchema(schema: JsonObject): Result<SchemaTest, string> {
  const before = compiledBefore.get(schema)
  if (before) return before
  const compiled = trySync(() => compile(schema), messageOf)
  const test = compiled.ok ? ok(testOf(compiled.value)) : err(compiled.error)
  compiledBefore.set(schema, test)
  return test
}

const testOf =
  (validate: ValidateFunction): SchemaTest =>
  (value) =>
    validate(withDoubles(value)) ? undefined : problemsOf(validate.errors ?? [])

/** With `$async`, a value would be tested later, and seem to fit. */
function compile({ $schema, $async: _, ...schema }: JsonObject): ValidateFunction {
  const isOlder = typeof $schema === 'string' && /draft-0[4-7]/.test($schema)
  const dialect = isOlder ? 'draft07' : 'draft2020'
  const meta = (metaSchemas[dialect] ??= newAjv(dialect, OPTIONS))
  if (meta.validateSchema(schema) !== true)
    throw new Error(meta.errorsText(meta.errors, { dataVar: 'the schema' }))
  const ajv = newAjv(dialect, WITHOUT_META)
  libraries.formats().default(ajv)
  return ajv.compile(schema)
}

const newAjv = (dialect: Dialect, options: Options): Draft07.Ajv | Draft2020.Ajv2020 =>
  dialect === 'draft07'
    ? new (libraries.draft07().Ajv)(options)
    : new (libraries.draft2020().Ajv2020)(options)

function problemsOf(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(problemOf))]
  const more = problems.length - MOST_PROBLEMS
  return [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function problemOf({
  instancePath,
  keyword,
  params,
  message = 'does not fit',
}: ErrorObject): string {
  const place = instancePath
    .slice(1)
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  const below = (name: unknown): string =>
    place === '' ? String(name) : `${place}.${String(name)}`
  switch (keyword) {
    case 'required':
      return `${below(params['missingProperty'])}: is required`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${below(params['additionalProperty'] ?? params['unevaluatedProperty'])}: is not known`
    case 'enum':
      return `${place === '' ? 'it' : place}: must be one of ${JSON.stringify(params['allowedValues'])}`
    case 'const':
      return `${place === '' ? 'it' : place}: must be ${JSON.stringify(params['allowedValue'])}`
    default:
      return place === '' ? message : `${place}: ${message}`
  }
}
