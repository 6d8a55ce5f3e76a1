import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { TOOL_NAME, VARIABLE_NAME } from '../publish/project.ts'
import { BUMPS } from '../publish/schema-difference.ts'
import { SHORTEST_SECRET } from '../running/secret-mask.ts'
import { MODES } from '../running/tool-runner.ts'
import type { TagFilter, ToolFilter, ToolOrder } from '../storage/tool-statements.ts'
import type { VersionFilter, VersionOrder } from '../storage/version-store.ts'
import type { HistoryFilter, Window } from '../tool-service.ts'
import { parseConstraint, type Constraint } from '../versions.ts'

const MOST_INPUTS = 10
const MOST_VALUE_CHARS = 32_000

const name = z
  .string()
  .regex(TOOL_NAME, 'must be small letters, digits and _, with a letter first')
  .describe('Also the name of the folder of the tool in its repository')
const text = z.string().max(4_000)
const tags = z
  .record(
    z.string().regex(/^[^:\u0000]{1,100}$/, 'must not have a colon'),
    text.max(200).nullable(),
  )
  .refine((all) => Object.keys(all).length <= 50, 'has more than 50 tags')

export const CreateTool = z.strictObject({
  name,
  description: text.default(''),
  tags: tags.default({}),
})
export const UpdateTool = z.strictObject({
  name: name.exactOptional(),
  description: text.exactOptional(),
  tags: tags.exactOptional(),
})

const variableName = z.string().regex(VARIABLE_NAME, 'must match [A-Z_]+')
export const SetVariable = z
  .strictObject({
    name: variableName,
    value: z
      .string()
      .max(MOST_VALUE_CHARS)
      .regex(/^[^\u0000]*$/, 'must not have a NUL'),
    secret: z.boolean().default(false).describe('It is encrypted, and never returned'),
  })
  .refine(({ secret, value }) => !secret || value.length >= SHORTEST_SECRET, {
    path: ['value'],
    error: `a secret must have at least ${SHORTEST_SECRET} characters, so that it can be masked`,
  })

const branch = {
  repo: z.enum(['team', 'main']),
  branch: z.string().min(1).max(250),
}
const Input = z.strictObject({
  input_parameters: z.record(z.string(), jsonValue),
  invocation_mode: z.enum(MODES),
  user_variables: z.record(z.string(), jsonValue).default({}),
})
const inputs = z.array(Input).min(1).max(MOST_INPUTS)

export const TestTool = z.strictObject({
  tool_id: z.string(),
  ...branch,
  inputs: z.array(Input).max(MOST_INPUTS).default([]),
})
export const PublishVersion = z.strictObject({
  ...branch,
  bump: z.enum(BUMPS).exactOptional().describe('At least what the differences demand'),
})
export const InvokeVersion = z.strictObject({ inputs })

export const inputOf = (input: z.output<typeof Input>) => ({
  toolInput: input.input_parameters,
  mode: input.invocation_mode,
  userVariables: input.user_variables,
})

const bool = z.enum(['true', 'false']).transform((value) => value === 'true')
const several = (item: z.ZodString) => z.array(item).max(50).optional()
const window = (least: number, most: number, otherwise: number) => ({
  limit: z.coerce.number().int().min(least).max(most).default(otherwise),
  continuation_token: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
const short = z.string().min(1).max(300)

export const ListTools = z.object({
  id: several(short),
  deprecated: bool.optional(),
  tag: several(short).describe('`key:value`; `key:*` for any value, `key:` for none'),
  sort_by: several(short).describe('`+name`, `-name`, `+deprecated` or `-deprecated`'),
  ...window(1, 20, 10),
})
export const ListVersions = z.object({
  deprecated: bool.optional(),
  version_constraint: short.optional(),
  creator: several(short).describe('`ORG,USER`'),
  sort_by: several(short).describe(
    '`+` or `-` before `created_at`, `version`, `version.major`, `version.minor`, `version.patch` or `deprecated`',
  ),
  ...window(0, 50, 50),
})
export const ListInvocations = z.object({
  tool_id: short.optional(),
  version: short.optional(),
  invocation_source_type: z.enum(['conversation', 'simulation']).optional(),
  conversation_id: short.optional(),
  succeeded: bool.optional(),
  ...window(1, 50, 20),
})
export const SearchInvocations = ListInvocations.extend({
  query: z.string().trim().min(1).max(500),
})

/** The parameters of a query, of which those named may be repeated. */
export function readQuery<S extends z.ZodType>(
  url: string,
  schema: S,
  repeated: readonly string[] = [],
): Result<z.output<S>, Failure> {
  const parameters = new URL(url).searchParams
  const given: Record<string, string | readonly string[]> = {}
  for (const parameter of new Set(parameters.keys())) {
    const values = parameters.getAll(parameter).filter((value) => value !== '')
    const [value] = values
    if (repeated.includes(parameter)) given[parameter] = values
    else if (value !== undefined) given[parameter] = value
  }
  const checked = schema.safeParse(given)
  return checked.success ? ok(checked.data) : err(invalid(problems(checked.error)))
}

const invalid = (problem: string): Failure => failure('VALIDATION_ERROR', problem)

interface Paging {
  readonly limit: number
  readonly continuation_token: number
}
export const windowOf = ({ limit, continuation_token: offset }: Paging): Window => ({
  limit,
  offset,
})

export function toolFilter(query: z.output<typeof ListTools>): Result<ToolFilter, Failure> {
  const order = orders(query.sort_by, TOOL_ORDERS)
  if (!order.ok) return order
  const filters: TagFilter[] = []
  for (const tag of query.tag ?? []) {
    const colon = tag.indexOf(':')
    if (colon < 1) return err(invalid(`tag: must be key:value, and is ${JSON.stringify(tag)}`))
    filters.push({ key: tag.slice(0, colon), value: tagValue(tag.slice(colon + 1)) })
  }
  return ok({
    ids: query.id ?? [],
    deprecated: query.deprecated,
    tags: filters,
    order: order.value,
  })
}

function tagValue(text: string): string | null | undefined {
  if (text === '*') return undefined
  return text === '' ? null : text
}

const TOOL_ORDERS: Readonly<Record<string, ToolOrder['by']>> = {
  name: 'name',
  deprecated: 'deprecated',
}
const VERSION_ORDERS: Readonly<Record<string, VersionOrder['by']>> = {
  created_at: 'created_at',
  version: 'version',
  'version.major': 'major',
  'version.minor': 'minor',
  'version.patch': 'patch',
  deprecated: 'deprecated',
}

/** A `+` that was not escaped in a URL arrives as a space. */
function orders<T extends string>(
  given: readonly string[] | undefined,
  fields: Readonly<Record<string, T>>,
): Result<readonly { readonly by: T; readonly direction: 'asc' | 'desc' }[], Failure> {
  const all: { readonly by: T; readonly direction: 'asc' | 'desc' }[] = []
  for (const order of given ?? []) {
    const [, sign, field = ''] = /^([ +-])(.+)$/.exec(order) ?? []
    const by = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (by === undefined)
      return err(
        invalid(
          `sort_by: must be + or - before ${Object.keys(fields).join(', ')}, and is ${JSON.stringify(order)}`,
        ),
      )
    all.push({ by, direction: sign === '-' ? 'desc' : 'asc' })
  }
  return ok(all)
}

export function versionFilter(
  query: z.output<typeof ListVersions>,
  org: string,
): Result<VersionFilter, Failure> {
  const order = orders(query.sort_by, VERSION_ORDERS)
  if (!order.ok) return order
  const constraint = optionalConstraint(query.version_constraint)
  if (!constraint.ok) return constraint
  const creators: string[] = []
  for (const creator of query.creator ?? []) {
    const comma = creator.indexOf(',')
    if (comma < 1)
      return err(invalid(`creator: must be ORG,USER, and is ${JSON.stringify(creator)}`))
    // nobody of another organization has published anything here
    creators.push(creator.slice(0, comma) === org ? creator.slice(comma + 1) : '\u0000')
  }
  return ok({
    deprecated: query.deprecated,
    constraint: constraint.value,
    creators,
    order: order.value,
  })
}

export function historyFilter(
  query: z.output<typeof ListInvocations>,
): Result<HistoryFilter, Failure> {
  const constraint = optionalConstraint(query.version)
  if (!constraint.ok) return constraint
  return ok({
    tool: query.tool_id,
    constraint: constraint.value,
    source: query.invocation_source_type,
    conversation: query.conversation_id,
    succeeded: query.succeeded,
  })
}

const optionalConstraint = (text: string | undefined): Result<Constraint | undefined, Failure> =>
  text === undefined ? ok(undefined) : parseConstraint(text)
