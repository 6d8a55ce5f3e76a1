import { sql, statement } from '@amodal/sdk/database'
import { db, type InvocationStatus } from '../tables.ts'

export interface NewInvocation {
  readonly id: string
  readonly tool: string
  readonly version: string | null
  readonly mode: string
  readonly source: string
  readonly principal: string
  readonly conversation: string | null
  readonly interaction: string | null
  readonly simulation_run: string | null
  readonly input: string
}
export const BEGIN_INVOCATION = statement((row: NewInvocation) =>
  db.insertInto('tools_versions_invocation').values({
    id: row.id,
    tool: row.tool,
    version: row.version,
    mode: row.mode,
    source: row.source,
    principal: row.principal,
    conversation: row.conversation,
    interaction: row.interaction,
    simulation_run: row.simulation_run,
    input: row.input,
  }),
)

export interface InvocationEnd {
  readonly id: string
  readonly ms: number
  readonly status: InvocationStatus
  readonly output: string | null
  readonly error_code: string | null
  readonly error: string | null
  readonly stack: string | null
}
export const END_INVOCATION = statement((end: InvocationEnd) =>
  db
    .updateTable('tools_versions_invocation')
    .set({
      ms: end.ms,
      status: end.status,
      output: end.output,
      error_code: end.error_code,
      error: end.error,
      stack: end.stack,
    })
    .where('id', '=', end.id),
)

export interface InvocationFilter {
  readonly tool: string | undefined
  readonly versions: readonly string[] | undefined
  readonly source: 'conversation' | 'simulation' | undefined
  readonly conversation: string | undefined
  readonly succeeded: boolean | undefined
  /** Of these callers alone. */
  readonly principal: string | undefined
}

const COLUMNS = [
  'id',
  'tool',
  'version',
  'at',
  'ms',
  'mode',
  'source',
  'principal',
  'conversation',
  'interaction',
  'simulation_run',
  'status',
  'input',
  'output',
  'error_code',
  'error',
  'stack',
] as const

function filtered(filter: InvocationFilter) {
  const { tool, versions, source, conversation, succeeded, principal } = filter
  let query = db.selectFrom('tools_versions_invocation')
  if (tool !== undefined) query = query.where('tool', '=', tool)
  if (versions) query = query.where(sql<boolean>`version = any(${versions}::text[])`)
  if (source !== undefined) query = query.where('source', '=', source)
  if (conversation !== undefined) query = query.where('conversation', '=', conversation)
  if (succeeded !== undefined)
    query = query.where('status', '=', succeeded ? 'succeeded' : 'failed')
  return principal === undefined ? query : query.where('principal', '=', principal)
}

export const listInvocations = (filter: InvocationFilter, limit: number, offset: number) =>
  filtered(filter)
    .select(COLUMNS)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)

export const INVOCATIONS_BY_ID = statement(({ ids }: { ids: readonly string[] }) =>
  db
    .selectFrom('tools_versions_invocation')
    .select(COLUMNS)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc'),
)

/**
 * Ids of invocations of a tenant that contain the words. It runs outside of row security, which
 * would keep the index from being used; their rows are read inside of it.
 */
export const searchInvocations = (
  { tenant, words }: { readonly tenant: string; readonly words: string },
  filter: InvocationFilter,
  limit: number,
  offset: number,
) =>
  filtered(filter)
    .select('id')
    .where('tenant', '=', tenant)
    .where(
      sql<boolean>`search @@ (quote_literal('=' || ${tenant}::text)::tsquery && websearch_to_tsquery('simple', ${words}))`,
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)

/** A conversation that was removed, or interactions of it. */
export const FORGET_CONVERSATION = statement(
  ({ conversation, interactions }: { conversation: string; interactions: string | null }) =>
    db
      .updateTable('tools_versions_invocation')
      .set({ conversation: null, interaction: null, simulation_run: null })
      .where('conversation', '=', conversation)
      .where(sql<boolean>`(${interactions}::jsonb is null or ${interactions}::jsonb ? interaction)`)
      .returning('id'),
)

/** Invocations that are older than so many ms, a number of them at a time. */
export const REMOVE_INVOCATIONS = statement(
  ({ ms, limit }: { ms: number; limit: number }) => sql<{ id: string }>`
delete from tools_versions_invocation i
using (
  select tenant, id from tools_versions_invocation
  where at < clock_timestamp() - ${ms}::bigint * interval '1 millisecond' limit ${limit}
) old
where i.tenant = old.tenant and i.id = old.id
returning i.id`,
)

interface Erase {
  readonly principal: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
  /** JSON of the sessions that are erased. */
  readonly sessions: string
}
export const ERASE_INVOCATIONS = statement(
  ({ principal, tenant, sessions }: Erase) => sql<{ id: string }>`
delete from tools_versions_invocation i
where (i.principal = ${principal} and i.tenant = coalesce(${tenant}::text, i.tenant))
  or exists (
    select from jsonb_to_recordset(${sessions}::jsonb) x(tenant text, session text)
    where x.tenant = i.tenant and x.session = i.conversation)
returning i.id`,
)
type Person = Omit<Erase, 'sessions'>
export const ERASE_CREATORS = statement(
  ({ principal, tenant }: Person) => sql<{ tool: string }>`
update tools_versions_version set creator = '' where creator = ${principal} and tenant = coalesce(${tenant}::text, tenant)
returning tool`,
)
export const ERASE_TOOL_CREATORS = statement(
  ({ principal, tenant }: Person) => sql<{ id: string }>`
update tools_versions_tool set creator = '' where creator = ${principal} and tenant = coalesce(${tenant}::text, tenant)
returning id`,
)
