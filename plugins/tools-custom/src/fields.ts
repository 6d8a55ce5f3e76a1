import {
  editorSchema,
  type Issues,
  type JsonFile,
  refuseUnknown,
  shaped,
  warnUnknown,
} from '@amodal/sdk/files'
import { isList, isObject, type Json, type JsonObject, PERSISTENCES } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { closest } from './placeholders.ts'

export const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/
const CONFIRMS = [false, true, 'allow', 'confirm', 'review', 'never'] as const
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const text = z.string().min(1)
const fitting = (pattern: RegExp, error: string, fix: string) =>
  z.string().refine((value) => pattern.test(value), { error, params: { fix } })

export const toolName = fitting(
  TOOL_NAME,
  'is no tool name',
  'use small letters, digits and _, with a letter first: create_ticket',
)
const variable = fitting(
  /^[A-Za-z_]\w*$/,
  'is no name of a variable',
  'write it as in JIRA_API_TOKEN',
)
const object = z.record(z.string(), jsonValue)

const shaping = z.object({
  pick: z.array(text).min(1).exactOptional(),
  rename: z.record(text, text).exactOptional(),
  template: text.exactOptional(),
})

const request = {
  connection: text,
  endpoint: text,
  method: z
    .string()
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(METHODS))
    .default('GET'),
  params: object.exactOptional(),
  data: jsonValue.exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
}
const step = z.object({
  name: fitting(/^[A-Za-z][\w-]*$/, 'is no name of a step', 'use letters, digits, - and _'),
  ...request,
  responseShaping: shaping.exactOptional(),
})

const uses = z.strictObject({
  tools: z.array(text).default([]),
  subagents: z.array(text).default([]),
})

const common = z.looseObject({
  name: toolName.exactOptional(),
  description: text,
  parameters: object.default({}),
  confirm: z.literal(CONFIRMS).default(false),
  timeout: z.int().min(1).max(3_600_000).default(30_000),
  env: z.array(variable).default([]),
  responseShaping: shaping.exactOptional(),
  sandbox: z
    .looseObject({ language: z.enum(['typescript', 'python']).exactOptional() })
    .default({}),
  runningLabel: text.exactOptional(),
  completedLabel: text.exactOptional(),
  internal: z.boolean().default(false),
  resultPersistence: z.enum(PERSISTENCES).exactOptional(),
  result_persistence: z.enum(PERSISTENCES).exactOptional(),
  private: z.boolean().default(false),
  version: fitting(
    /^\d+\.\d+\.\d+(-[\w.]+)?$/,
    'is no version',
    'write it as in 1.2.0',
  ).exactOptional(),
  uses: z
    .union([z.array(text), uses], { error: 'must be a list of names, or { tools, subagents }' })
    .default([]),
  readOnly: z.boolean().exactOptional(),
  mutating: z.boolean().default(false),
  keyed: z.boolean().default(false),
  taint: z.literal('ignore').exactOptional(),
})

const trigger = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('regex'),
    pattern: text,
    flags: fitting(/^[imsu]*$/, 'are no flags', 'use i, m, s and u').exactOptional(),
    continueToLLM: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal('schedule'), cron: text }),
  z.strictObject({ kind: z.literal('invoke') }),
])
const started = z.looseObject({
  triggers: z.array(trigger).default([]),
  execution: z.literal('durable').exactOptional(),
})

const http = z.object(request)
const chain = z.object({ steps: z.array(step).min(1).max(32) })

export type Fields = z.output<typeof common>
export type HttpFields = z.output<typeof http>
export type StepFields = z.output<typeof step>

const NAMES = [...Object.keys(common.shape), '$schema', 'type']
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  http: Object.keys(request),
  chain: ['steps'],
  function: Object.keys(started.shape),
}
export type Started = z.output<typeof started>
export type ToolType = 'http' | 'chain' | 'function'
const type = z.object({ type: z.enum(['http', 'chain', 'function']).default('function') })

/** The schema of `tool.json` for editors: of each type it has the fields. */
export const toolSchema = (): JsonObject =>
  editorSchema(
    z.object({
      ...common.shape,
      ...started.shape,
      ...type.shape,
      ...http.partial().shape,
      ...chain.partial().shape,
    }),
    {
      title: 'A tool of the agent',
    },
  )

/** Which kind of tool a definition is. */
export function readType(json: JsonFile<JsonObject>, issues: Issues): ToolType | undefined {
  return shaped(type, json, [], issues)?.type
}

/**
 * What all kinds have. Fields that nothing reads are told; a tool with one that sounds like a
 * protection is left out.
 */
export function readFields(
  json: JsonFile<JsonObject>,
  kind: ToolType,
  issues: Issues,
): Fields | undefined {
  const before = issues.errors
  const known = [...NAMES, ...(OF_TYPE[kind] ?? [])]
  // In the folder of the second layout nothing is passed over: it may be a protection.
  const tellUnknown = json.file.startsWith('amodal/') ? refuseUnknown : warnUnknown
  tellUnknown(json, [], known, issues)
  refuseUnknown(json, ['uses'], ['tools', 'subagents'], issues)
  const read = issues.errors > before ? undefined : shaped(common, json, [], issues)
  return issues.errors > before ? undefined : read
}

/** What starts a handler in place of a model, and whether its calls are recorded. */
export function readStarted(json: JsonFile<JsonObject>, issues: Issues): Started | undefined {
  const before = issues.errors
  for (const [index, one] of listIn(json.value['triggers']).entries()) {
    const kind = isObject(one) ? one['kind'] : undefined
    const known = typeof kind === 'string' ? TRIGGER_FIELDS[kind] : undefined
    if (known) refuseUnknown(json, ['triggers', index], ['kind', ...known], issues)
    else
      issues.error('BAD_REPO', 'this trigger is of no known kind', {
        file: json.file,
        line: json.lineOf(['triggers', index]),
        fix: `use one of: ${Object.keys(TRIGGER_FIELDS).join(', ')}`,
      })
  }
  return issues.errors > before ? undefined : shaped(started, json, [], issues)
}

const TRIGGER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  regex: ['pattern', 'flags', 'continueToLLM'],
  schedule: ['cron'],
  invoke: [],
}
const listIn = (value: Json | undefined): readonly Json[] =>
  value !== undefined && isList(value) ? value : []

/** The one request of an http tool. */
export function readHttp(json: JsonFile<JsonObject>, issues: Issues): HttpFields | undefined {
  return shaped(http, json, [], issues)
}

/** The requests of a chain. Two of one name would overwrite each other. */
export function readSteps(
  json: JsonFile<JsonObject>,
  issues: Issues,
): readonly StepFields[] | undefined {
  const read = shaped(chain, json, [], issues)
  const names = read?.steps.map(({ name }) => name) ?? []
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (twice === -1) return read?.steps
  issues.error('BAD_REPO', `two steps are called "${names[twice] ?? ''}"`, {
    file: json.file,
    line: json.lineOf(['steps', twice]),
    fix: 'give one of them another name',
  })
  return undefined
}

/** Warns of placeholders that no parameter fills: they would always be empty. */
export function warnPlaceholders(
  json: JsonFile<JsonObject>,
  at: readonly string[],
  parameters: JsonObject,
  issues: Issues,
): void {
  for (const { name, path, meant } of closest(json.value, at, parameters)) {
    issues.warn(
      'BAD_REPO',
      `no parameter fills \`{{${name}}}\`${meant === undefined ? '' : `; did you mean \`{{${meant}}}\`?`}`,
      {
        file: json.file,
        line: json.lineOf(path),
        fix:
          meant === undefined
            ? `add "${name}" to the properties of \`parameters\``
            : `write {{${meant}}}`,
      },
    )
  }
}
