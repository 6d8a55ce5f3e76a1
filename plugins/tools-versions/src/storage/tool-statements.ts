import { sql, statement } from '@amodal/sdk/database'
import { db, type Tags } from '../tables.ts'

interface NewTool {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: Tags
  readonly creator: string
}
export const ADD_TOOL = statement(({ id, name, description, tags, creator }: NewTool) =>
  db
    .insertInto('tools_versions_tool')
    .values({ id, name, description, tags, creator })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll(),
)

export const FIND_TOOL = statement(({ id }: { id: string }) =>
  db.selectFrom('tools_versions_tool').selectAll().where('id', '=', id),
)
export const FIND_TOOL_BY_NAME = statement(({ name }: { name: string }) =>
  db.selectFrom('tools_versions_tool').selectAll().where('name', '=', name),
)

export interface TagFilter {
  readonly key: string
  /** `null`: the tag without a value; `undefined`: whatever value. */
  readonly value: string | null | undefined
}
export interface ToolFilter {
  readonly ids: readonly string[]
  readonly deprecated: boolean | undefined
  readonly tags: readonly TagFilter[]
  readonly order: readonly ToolOrder[]
}
export interface ToolOrder {
  readonly by: 'name' | 'deprecated'
  readonly direction: 'asc' | 'desc'
}

export function listTools(filter: ToolFilter, limit: number, offset: number) {
  let query = db.selectFrom('tools_versions_tool').selectAll()
  if (filter.ids.length > 0) query = query.where('id', 'in', filter.ids)
  if (filter.deprecated !== undefined) query = query.where('deprecated', '=', filter.deprecated)
  for (const { key, value } of filter.tags) {
    query = query.where(sql<boolean>`tags ? ${key}::text`)
    if (value !== undefined)
      query = query.where(sql<boolean>`tags -> ${key}::text = ${JSON.stringify(value)}::jsonb`)
  }
  for (const { by, direction } of filter.order) query = query.orderBy(by, direction)
  return query.orderBy('created_at').orderBy('id').limit(limit).offset(offset)
}

interface ToolChange {
  readonly id: string
  /** `null`: as it is. */
  readonly name: string | null
  readonly description: string | null
  readonly tags: Tags | null
}
export const UPDATE_TOOL = statement(({ id, name, description, tags }: ToolChange) =>
  db
    .updateTable('tools_versions_tool')
    .set({
      name: sql<string>`coalesce(${name}::text, name)`,
      description: sql<string>`coalesce(${description}::text, description)`,
      tags: sql<Tags>`coalesce(${tags}::jsonb, tags)`,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .returningAll(),
)

interface Operation {
  readonly id: string
  readonly operation: string
  readonly ms: number
}
/** Begins an operation, unless another one has a lease that lasts. */
export const BEGIN_OPERATION = statement(({ id, operation, ms }: Operation) =>
  db
    .updateTable('tools_versions_tool')
    .set({
      operation,
      operation_until: sql<Date>`clock_timestamp() + ${ms}::int * interval '1 millisecond'`,
    })
    .where('id', '=', id)
    .where(sql<boolean>`(operation is null or operation_until < clock_timestamp())`)
    .returning('id'),
)
export const RENEW_OPERATION = statement(({ id, operation, ms }: Operation) =>
  db
    .updateTable('tools_versions_tool')
    .set({ operation_until: sql<Date>`clock_timestamp() + ${ms}::int * interval '1 millisecond'` })
    .where('id', '=', id)
    .where('operation', '=', operation)
    .returning('id'),
)
type OperationKey = Pick<Operation, 'id' | 'operation'>
export const END_OPERATION = statement(({ id, operation }: OperationKey) =>
  db
    .updateTable('tools_versions_tool')
    .set({ operation: null, operation_until: null })
    .where('id', '=', id)
    .where('operation', '=', operation)
    .returning('id'),
)
/** Locks the tool until the transaction ends; no row where another operation has begun since. */
export const LOCK_OPERATION = statement(({ id, operation }: OperationKey) =>
  db
    .selectFrom('tools_versions_tool')
    .select('deprecated')
    .where('id', '=', id)
    .where('operation', '=', operation)
    .forUpdate(),
)
export const DEPRECATE_TOOL = statement(({ id }: { id: string }) =>
  db
    .updateTable('tools_versions_tool')
    .set({ deprecated: true, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .returning('id'),
)

interface Variable {
  readonly tool: string
  readonly name: string
  readonly secret: boolean
  readonly value: string
}
export const PUT_VARIABLE = statement(({ tool, name, secret, value }: Variable) =>
  db
    .insertInto('tools_versions_variable')
    .values({ tool, name, secret, value })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'tool', 'name']).doUpdateSet((eb) => ({
        secret: eb.ref('excluded.secret'),
        value: eb.ref('excluded.value'),
        updated_at: sql<Date>`clock_timestamp()`,
      })),
    )
    .returning(['name', 'secret', 'updated_at']),
)
export const VARIABLES = statement(({ tool }: { tool: string }) =>
  db
    .selectFrom('tools_versions_variable')
    .select(['name', 'secret', 'value', 'updated_at'])
    .where('tool', '=', tool)
    .orderBy('name'),
)
export const REMOVE_VARIABLE = statement(({ tool, name }: Pick<Variable, 'tool' | 'name'>) =>
  db
    .deleteFrom('tools_versions_variable')
    .where('tool', '=', tool)
    .where('name', '=', name)
    .returning('name'),
)
/** Serializes changes of variables with the publications that require them. */
export const LOCK_TOOL = statement(({ id }: { id: string }) =>
  db.selectFrom('tools_versions_tool').select('id').where('id', '=', id).forUpdate(),
)
