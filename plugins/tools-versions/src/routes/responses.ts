import type { Failure, Result } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { parseExact } from '@amodal/sdk/data'
import { z } from 'zod'
import type { Tested } from '../publish/publisher.ts'
import type { Invocation } from '../running/tool-runner.ts'
import type { InvocationRow } from '../storage/invocation-store.ts'
import type { ToolRow, VersionRow } from '../tables.ts'
import type { Page } from '../storage/tool-store.ts'
import type { Variable } from '../storage/variable-store.ts'
import { versionText } from '../versions.ts'

const time = z.iso.datetime()
const Creator = z.object({ org_id: z.string(), user_id: z.string() })
const paging = {
  has_more: z.boolean(),
  continuation_token: z.int().nullable().describe('Of the next page'),
}

export const Tool = z.object({
  tool_id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.record(z.string(), z.string().nullable()),
  deprecated: z.boolean(),
  creator: Creator,
  created_at: time,
  updated_at: time,
})
export const ToolList = z.object({ tools: z.array(Tool), ...paging })

export const EnvVar = z.object({
  name: z.string(),
  secret: z.boolean(),
  value: z.string().nullable().describe('`null` for a secret'),
  updated_at: time,
})
export const EnvVarList = z.object({ env_vars: z.array(EnvVar) })

const schema = z.record(z.string(), jsonValue)
export const Version = z.object({
  tool_id: z.string(),
  version: z.string(),
  description: z.string(),
  language: z.enum(['typescript', 'python']),
  source: z.object({
    repo: z.string(),
    branch: z.string(),
    commit: z.string(),
    tree_hash: z.string(),
  }),
  lock_hash: z.string().nullable(),
  input_schema: schema,
  output_schema: schema.nullable(),
  env_vars: z.array(z.object({ name: z.string(), secret: z.boolean(), required: z.boolean() })),
  creator: Creator,
  deprecated: z.boolean(),
  created_at: time,
})
export const VersionList = z.object({ versions: z.array(Version), ...paging })

const Problem = z.object({
  code: z.string(),
  message: z.string(),
  stack_trace: z.string().nullable(),
})
const RunResult = z.object({
  invocation_id: z.string().nullable().describe('`null` where it was not run'),
  output: jsonValue.nullable(),
  error: Problem.nullable(),
  duration_ms: z.int().nullable(),
})
export const Results = z.object({ results: z.array(RunResult) })
export const TestResult = Results.extend({
  commit: z.string(),
  checks: z.array(z.object({ name: z.string(), invocation_id: z.string() })),
})

const InvocationView = z.object({
  invocation_id: z.string(),
  tool_id: z.string(),
  version: z.string().nullable().describe('`null` for the head of a branch that was tested'),
  invocation_mode: z.string(),
  invocation_source_type: z.enum(['api', 'test', 'conversation', 'simulation']),
  conversation_id: z.string().nullable(),
  interaction_id: z.string().nullable(),
  simulation_run_id: z.string().nullable(),
  user_id: z.string(),
  invoked_at: time,
  duration_ms: z.int().nullable(),
  succeeded: z
    .boolean()
    .nullable()
    .describe('`null` while it runs, or where its server was killed'),
  input_parameters: jsonValue,
  output: jsonValue.nullable(),
  error: Problem.nullable(),
})
export const InvocationList = z.object({ invocations: z.array(InvocationView), ...paging })

/** @param offset of the page */
export const pagingOf = ({ items, hasMore }: Page<unknown>, offset: number) => ({
  has_more: hasMore,
  continuation_token: hasMore ? offset + items.length : null,
})

export const toolView = (row: ToolRow): z.output<typeof Tool> => ({
  tool_id: row.id,
  name: row.name,
  description: row.description,
  tags: row.tags,
  deprecated: row.deprecated,
  creator: { org_id: row.tenant, user_id: row.creator },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export const variableView = ({
  name,
  secret,
  value,
  updatedAt,
}: Variable): z.output<typeof EnvVar> => ({
  name,
  secret,
  value,
  updated_at: updatedAt.toISOString(),
})

export const versionView = (row: VersionRow): z.output<typeof Version> => ({
  tool_id: row.tool,
  version: versionText(row),
  description: row.description,
  language: row.language,
  source: { repo: row.repo, branch: row.branch, commit: row.revision, tree_hash: row.archive },
  lock_hash: row.lock_hash,
  input_schema: row.input,
  output_schema: row.output,
  env_vars: [...row.variables],
  creator: { org_id: row.tenant, user_id: row.creator },
  deprecated: row.deprecated,
  created_at: row.created_at.toISOString(),
})

export function resultView(run: Result<Invocation, Failure>): z.output<typeof RunResult> {
  if (!run.ok) {
    const { code, message } = run.error
    const error = { code, message, stack_trace: null }
    return { invocation_id: null, output: null, error, duration_ms: null }
  }
  const { id, ms, outcome } = run.value
  const { code, message, stack = null } = outcome.ok ? NO_ERROR : outcome.error
  return {
    invocation_id: id,
    output: outcome.ok ? outcome.value : null,
    error: outcome.ok ? null : { code, message, stack_trace: stack },
    duration_ms: ms,
  }
}
const NO_ERROR = { code: '', message: '', stack: null }

export const testView = ({ commit, checks, results }: Tested): z.output<typeof TestResult> => ({
  commit,
  checks: checks.map((check) => ({ name: check.name, invocation_id: check.invocation })),
  results: results.map(resultView),
})

export const invocationView = (row: InvocationRow) => ({
  invocation_id: row.id,
  tool_id: row.tool,
  version: row.version,
  invocation_mode: row.mode,
  invocation_source_type: row.source,
  conversation_id: row.conversation,
  interaction_id: row.interaction,
  simulation_run_id: row.simulation_run,
  user_id: row.principal,
  invoked_at: row.at.toISOString(),
  duration_ms: row.ms,
  succeeded: row.status === 'running' ? null : row.status === 'succeeded',
  input_parameters: parseExact(row.input),
  output: row.output === null ? null : parseExact(row.output),
  error:
    row.error === null
      ? null
      : { code: row.error_code ?? 'TOOL_FAILED', message: row.error, stack_trace: row.stack },
})
