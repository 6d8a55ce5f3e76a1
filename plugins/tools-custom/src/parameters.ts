import { createRequire } from 'node:module'
import {
  err,
  isObject,
  messageOf,
  ok,
  toolSchema,
  trySync,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { copyJson, withDigits, withDoubles } from '@amodal/sdk/data'
import type * as Draft07 from 'ajv'
import type { AnySchema, ErrorObject, Options, ValidateFunction } from 'ajv'
import type * as Draft2020 from 'ajv/dist/2020.js'
import type * as Formats from 'ajv-formats'
import type * as Re2 from 're2js'

/** Checks arguments and fills in their defaults; the error is for the model. */
export type Check = (args: JsonObject) => Result<JsonObject, string>

const load = createRequire(import.meta.url)

/**
 * Loaded by the first schema that needs them: a start without tools of its own need not wait for
 * their hundred files.
 */
const libraries = {
  draft07: () => load('ajv') as typeof Draft07,
  draft2020: () => load('ajv/dist/2020.js') as typeof Draft2020,
  formats: () => load('ajv-formats') as typeof Formats.default,
  patterns: () => load('re2js') as typeof Re2,
}

/**
 * Patterns of schemas are written by anybody and run on what a model sends: in linear time,
 * whatever they say.
 */
const linear = Object.assign(
  (pattern: string) => {
    const { RE2JS } = libraries.patterns()
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    // By its text ajv tells patterns apart.
    return {
      test: (text: string): boolean => compiled.matcher(text).find(),
      toString: () => pattern,
    }
  },
  { code: 'linear' },
)

const OPTIONS: Options = {
  allErrors: true,
  useDefaults: true,
  strict: false,
  logger: false,
  code: { regExp: linear },
  ownProperties: true,
}
const MOST_PROBLEMS = 5

/** Words of JSON Schema that stand before an object. */
const WORDS: ReadonlySet<string> = new Set(
  'properties patternProperties additionalProperties propertyNames dependentSchemas dependencies $defs definitions not if then else items contains unevaluatedProperties default const'.split(
    ' ',
  ),
)

/** The parameters as a model is shown them: an object, also where nothing is said. */
export function parametersOf(given: JsonObject): Result<JsonObject, string> {
  // A schema would take the names of fields for words that it does not know, and the tool would
  // have none.
  const field =
    given['properties'] === undefined
      ? Object.keys(given).find((name) => isObject(given[name] ?? null) && !WORDS.has(name))
      : undefined
  if (field !== undefined)
    return err(`\`${field}\` stands beside \`type\` instead of in \`properties\``)
  const made = toolSchema({
    ...given,
    ...(given['type'] === undefined && { type: 'object' }),
    ...(given['properties'] === undefined && { properties: {} }),
  })
  return made.ok ? ok(keptDialect(given, made.value)) : err(made.error.message)
}

/** `$schema` decides how the rest is read, so it stays. */
const keptDialect = ({ $schema }: JsonObject, schema: JsonObject): JsonObject =>
  $schema === undefined ? schema : { $schema, ...schema }

/**
 * Makes a check from a JSON Schema: draft 2020-12, or draft-07 where `$schema` says so.
 *
 * @returns why the schema cannot be used
 * @see https://json-schema.org/draft/2020-12
 */
export function checkOf(parameters: JsonObject): Result<Check, string> {
  const compiled = trySync(() => compile(parameters), messageOf)
  if (!compiled.ok) return compiled
  const validate = compiled.value
  return ok((args) => {
    const filled = copyJson(withDoubles(args))
    return validate(filled) ? ok(withDigits(filled, args)) : err(problemsOf(validate.errors ?? []))
  })
}

/** Where a value does not fit a schema, and why; `undefined` where it fits. */
export type ValueTest = (value: Json) => string | undefined

/** The same for a value of any kind, in which no defaults are filled in. */
export function valueTest(schema: JsonObject): Result<ValueTest, string> {
  const compiled = trySync(() => compile(schema), messageOf)
  if (!compiled.ok) return compiled
  const validate = compiled.value
  return ok((value) =>
    validate(copyJson(withDoubles(value))) ? undefined : problemsOf(validate.errors ?? []),
  )
}

function compile({ $schema, ...schema }: JsonObject): ValidateFunction {
  const older = typeof $schema === 'string' && /draft-0[4-7]/.test($schema)
  const ajv = older
    ? new (libraries.draft07().Ajv)(OPTIONS)
    : new (libraries.draft2020().Ajv2020)(OPTIONS)
  libraries.formats().default(ajv)
  return ajv.compile(schema satisfies AnySchema)
}

function problemsOf(errors: readonly ErrorObject[]): string {
  const told = [...new Set(errors.map(problemOf))]
  return [
    ...told.slice(0, MOST_PROBLEMS),
    ...(told.length > MOST_PROBLEMS ? [`and ${told.length - MOST_PROBLEMS} more`] : []),
  ].join('; ')
}

function problemOf({
  instancePath,
  keyword,
  params,
  message = 'does not fit',
}: ErrorObject): string {
  const at = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const under = (name: unknown): string => (at === '' ? String(name) : `${at}.${String(name)}`)
  switch (keyword) {
    case 'required':
      return `${under(params['missingProperty'])}: is required`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${under(params['additionalProperty'] ?? params['unevaluatedProperty'])}: is no parameter`
    case 'enum':
      return `${at}: must be one of ${JSON.stringify(params['allowedValues'])}`
    case 'const':
      return `${at}: must be ${JSON.stringify(params['allowedValue'])}`
    default:
      return `${at === '' ? 'arguments' : at}: ${message}`
  }
}
