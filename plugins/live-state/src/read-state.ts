import { rolesOf } from '@amodal/plugin-roles/tokens'
import {
  hashOf,
  isObject,
  type AgentBundle,
  type BundleIssue,
  type Json,
  type JsonObject,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import {
  Issues,
  manifestFile,
  shaped,
  unknownReference,
  valueAt,
  warnUnknown,
  type JsonFile,
  type Path,
} from '@amodal/sdk/files'
import { z } from 'zod'
import { agentFiles } from './agent-files.ts'
import { PART, type Declaration, type StateProperty, type Writer } from './declaration.ts'
import { problemsOf } from './expressions.ts'
import { misfitOf } from './schema.ts'
import { schemaOfValue } from './short-form.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const WRITERS = ['model', 'tools', 'api'] as const satisfies readonly Writer[]
const EXPRESSIONS = ['instructions', 'model', 'temperature', 'maxTurns', 'maxTokens'] as const

const property = z.looseObject({
  default: jsonValue,
  description: z.string().default(''),
  visibility: z
    .union([
      z.enum(['public', 'private']),
      z.strictObject({ roles: z.array(z.string().min(1)).min(1) }),
    ])
    .default('private'),
  write: z.array(z.enum(WRITERS)).default(['tools']),
  scope: z.enum(['session', 'agent']).default('session'),
})
type PropertyFields = z.output<typeof property>
const block = z.looseObject({
  type: z.literal('object').exactOptional(),
  properties: z.record(z.string(), jsonValue),
})
const short = z.record(z.string(), jsonValue)
const expression = z.string().min(1).nullable().default(null)
const expressions = z.looseObject({
  instructions: expression,
  model: expression,
  temperature: expression,
  maxTurns: expression,
  maxTokens: expression,
})

/**
 * Reads `state` and `mutable` of `amodal.json` and of the files in `agents/`, and `expressions` of
 * `amodal.json`; every problem is named with its line, and the rest counts.
 *
 * @returns the bundle with its declaration, or `undefined` where it has none
 */
export async function readState(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  const { raw } = bundle.manifest
  const agents = await agentFiles(bundle)
  const declarations = [raw['state'], raw['mutable'], raw['expressions']]
  if (declarations.every((one) => one === undefined) && agents.length === 0) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  const declared = declaredIn([json, ...agents], issues)
  const properties = declared.map(({ property: one }) => one)
  const declaration: Declaration = {
    properties,
    expressions: readExpressions(json, properties, issues),
    digest: hashOf(properties.map(visibilityOf)).slice(0, 8),
  }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted(), ...unknownRoles(declared, bundle)],
    parts: { ...bundle.parts, [PART]: declaration },
  }
}

/** What a client's version depends on. */
const visibilityOf = ({ name, visibility, scope }: StateProperty): Json => {
  const seenBy = typeof visibility === 'string' ? visibility : visibility.roles
  return scope === 'session' ? [name, seenBy] : [name, seenBy, scope]
}

/** All files declare one state, so that a name stands for one property everywhere. */
function declaredIn(sources: readonly JsonFile[], issues: Issues): readonly DeclaredProperty[] {
  const declared = new Map<string, string>()
  return sources
    .flatMap((source) => [...readBlock(source, issues), ...readShort(source, issues)])
    .filter(({ property: one, file, line }) => {
      const first = declared.get(one.name)
      if (first === undefined) {
        declared.set(one.name, `${file}:${line}`)
        return true
      }
      issues.error('BAD_REPO', `the state has "${one.name}" already, from ${first}`, {
        file,
        line,
        fix: 'rename one of the two, or remove it: all files of an agent declare one state',
      })
      return false
    })
}

/** Roles that a property names and no file has; one of an identity provider needs no file. */
function unknownRoles(
  declared: readonly DeclaredProperty[],
  bundle: AgentBundle,
): readonly BundleIssue[] {
  const known = rolesOf(bundle).roles.map(({ name }) => name)
  return declared.flatMap(({ property: { name, visibility }, file, line }) =>
    (typeof visibility === 'string' ? [] : visibility.roles).flatMap((role) => {
      const message = `\`visibility\` of "${name}": there is no role "${role}"`
      return unknownReference({ name: role, message, file, line }, known) ?? []
    }),
  )
}

interface DeclaredProperty {
  readonly property: StateProperty
  readonly file: string
  readonly line: number
}

function readBlock(json: JsonFile, issues: Issues): readonly DeclaredProperty[] {
  if (valueAt(json.value, ['state']) === undefined) return []
  warnUnknown(json, ['state'], ['type', 'properties'], issues)
  const read = shaped(block, json, ['state'], issues)
  return Object.keys(read?.properties ?? {}).flatMap((name) => {
    const path = ['state', 'properties', name]
    const given = shaped(property, json, path, issues)
    return given ? propertyOf(name, given, { json, path, issues }) : []
  })
}

/** `mutable` has a name and a value for each property, or what `state.properties` has. */
function readShort(json: JsonFile, issues: Issues): readonly DeclaredProperty[] {
  if (valueAt(json.value, ['mutable']) === undefined) return []
  const read = shaped(short, json, ['mutable'], issues) ?? {}
  return Object.entries(read).flatMap(([name, value]) => {
    const path = ['mutable', name]
    const given = isObject(value)
      ? shaped(property, json, path, issues)
      : property.parse({ ...schemaOfValue(value), default: value })
    return given ? propertyOf(name, given, { json, path, issues }) : []
  })
}

function propertyOf(
  name: string,
  { default: initial, description, visibility, write, scope, ...rest }: PropertyFields,
  { json, path, issues }: { readonly json: JsonFile; readonly path: Path; readonly issues: Issues },
): readonly DeclaredProperty[] {
  const schema = rest as JsonObject // what JSON Schema says of it was read as JSON
  const { file } = json
  const line = json.lineOf(path)
  const [problem, fix] = problemOf(name, schema, initial)
  if (problem === undefined)
    return [
      {
        property: { name, schema, default: initial, description, visibility, write, scope },
        file,
        line,
      },
    ]
  issues.error('BAD_REPO', problem, { file, line, fix })
  return []
}

function problemOf(
  name: string,
  schema: JsonObject,
  initial: Json,
): readonly [string | undefined, string] {
  if (!NAME.test(name))
    return [
      `"${name}" is no name for a property of the state`,
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
  properties: readonly StateProperty[],
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
  const declared = { instructions, model, temperature, maxTurns, maxTokens }
  const problems = problemsOf(declared, properties)
  for (const { name, message, fix } of problems)
    issues.error('BAD_REPO', `\`expressions.${name}\`: ${message}`, {
      file: json.file,
      line: json.lineOf(['expressions', name]),
      fix,
    })
  const unusable = Object.fromEntries(problems.map(({ name }) => [name, null]))
  return { ...declared, ...unusable }
}

const withBlock = (value: Json): Json =>
  isObject(value) && !('expressions' in value) ? { ...value, expressions: {} } : value
