import { hashOf, type AgentBundle, type Json, type JsonObject, isObject } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import {
  Issues,
  manifestFile,
  shaped,
  valueAt,
  warnUnknown,
  type JsonFile,
} from '@amodal/sdk/files'
import { z } from 'zod'
import { PART, type Declaration, type StateField, type Writer } from './declaration.ts'
import { problemsOf } from './expressions.ts'
import { misfitOf } from './schema.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const WRITERS = ['model', 'tools', 'api'] as const satisfies readonly Writer[]
const EXPRESSIONS = ['instructions', 'model', 'temperature', 'maxTurns', 'maxTokens'] as const

const field = z.looseObject({
  default: jsonValue,
  description: z.string().default(''),
  visible: z
    .union([z.enum(['public', 'private']), z.array(z.string().min(1)).min(1)])
    .default('private'),
  write: z.array(z.enum(WRITERS)).default(['tools']),
  scope: z.enum(['session', 'agent']).default('session'),
})
const block = z.looseObject({ fields: z.record(z.string(), field) })
const short = z.record(z.string(), field)
const expression = z.string().min(1).nullable().default(null)
const expressions = z.looseObject({
  instructions: expression,
  model: expression,
  temperature: expression,
  maxTurns: expression,
  maxTokens: expression,
})

/**
 * Reads `state` and `expressions` of `amodal.json`; every problem is named with its line.
 *
 * @returns the bundle with its declaration, or `undefined` where it has none
 */
export async function readState(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  const { raw } = bundle.manifest
  if ([raw['state'], raw['mutable'], raw['expressions']].every((one) => one === undefined))
    return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  const fields = [...readBlock(json, issues), ...readShort(json, issues)]
  const written = readExpressions(json, fields, issues)
  const declaration: Declaration | undefined =
    issues.errors > 0
      ? undefined
      : { fields, expressions: written, digest: hashOf(fields.map(visibilityOf)).slice(0, 8) }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, ...(declaration && { [PART]: declaration }) },
  }
}

/** What a client's version depends on. */
const visibilityOf = ({ name, visible, scope }: StateField): Json =>
  scope === 'session' ? [name, visible] : [name, visible, scope]

function readBlock(json: JsonFile, issues: Issues): readonly StateField[] {
  if (valueAt(json.value, ['state']) === undefined) return []
  warnUnknown(json, ['state'], ['fields'], issues)
  const read = shaped(block, json, ['state'], issues)
  return fieldsOf(read?.fields ?? {}, ['state', 'fields'], json, issues)
}

/** `mutable` is `state.fields` in short. */
function readShort(json: JsonFile, issues: Issues): readonly StateField[] {
  if (valueAt(json.value, ['mutable']) === undefined) return []
  return fieldsOf(shaped(short, json, ['mutable'], issues) ?? {}, ['mutable'], json, issues)
}

function fieldsOf(
  given: z.output<typeof short>,
  path: readonly string[],
  json: JsonFile,
  issues: Issues,
): readonly StateField[] {
  return Object.entries(given).flatMap(([name, { default: initial, ...more }]) => {
    const { description, visible, write, scope, ...rest } = more
    const schema = rest as JsonObject // what JSON Schema says of it was read as JSON
    const [problem, fix] = problemOf(name, schema, initial)
    if (problem === undefined)
      return [{ name, schema, default: initial, description, visible, write, scope }]
    issues.error('BAD_REPO', problem, { file: json.file, line: json.lineOf([...path, name]), fix })
    return []
  })
}

function problemOf(
  name: string,
  schema: JsonObject,
  initial: Json,
): readonly [string | undefined, string] {
  if (!NAME.test(name))
    return [
      `"${name}" is no name for a field of the state`,
      'use letters, digits and _, with a letter first',
    ]
  const misfit = misfitOf(schema, initial)
  return [
    misfit === undefined ? undefined : `the default of "${name}" ${misfit}`,
    'give it a default that fits its schema',
  ]
}

function readExpressions(
  json: JsonFile,
  fields: readonly StateField[],
  issues: Issues,
): Declaration['expressions'] {
  warnUnknown(json, ['expressions'], EXPRESSIONS, issues)
  const read = shaped(
    expressions,
    { ...json, value: withBlock(json.value) },
    ['expressions'],
    issues,
  )
  const { instructions, model, temperature, maxTurns, maxTokens } = read ?? expressions.parse({})
  const written = { instructions, model, temperature, maxTurns, maxTokens }
  for (const { name, message, fix } of problemsOf(written, fields))
    issues.error('BAD_REPO', `\`expressions.${name}\`: ${message}`, {
      file: json.file,
      line: json.lineOf(['expressions', name]),
      fix,
    })
  return written
}

const withBlock = (value: Json): Json =>
  isObject(value) && !('expressions' in value) ? { ...value, expressions: {} } : value
