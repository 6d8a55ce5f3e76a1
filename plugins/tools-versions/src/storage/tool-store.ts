import { randomBytes } from 'node:crypto'
import {
  err,
  ok,
  timeLimit,
  type Failure,
  type PrincipalId,
  type Result,
  type TenantDatabase,
} from '@amodal/sdk'
import { runQuery } from '@amodal/sdk/database'
import { OrgToolDeprecated, OrgToolExists, OrgToolNotFound } from '../errors.ts'
import { STATEMENT_MS } from './operations.ts'
import type { Tags, ToolRow } from '../tables.ts'
import {
  ADD_TOOL,
  FIND_TOOL,
  FIND_TOOL_BY_NAME,
  listTools,
  UPDATE_TOOL,
  type ToolFilter,
} from './tool-statements.ts'

type Outcome<T> = Promise<Result<T, Failure>>

export interface ToolFields {
  readonly name: string
  readonly description: string
  readonly tags: Tags
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

/** UNIQUE_VIOLATION of Postgres. */
const UNIQUE = '23505'

/** The tools of one tenant. */
export class ToolStore {
  readonly #database: TenantDatabase

  constructor(database: TenantDatabase) {
    this.#database = database
  }

  async create(fields: ToolFields, creator: PrincipalId, signal: AbortSignal): Outcome<ToolRow> {
    const id = randomBytes(12).toString('hex')
    const rows = await runQuery(
      this.#database,
      ADD_TOOL({ id, ...fields, creator }),
      timeLimit(STATEMENT_MS, 'creating a tool', signal),
    )
    return firstOr(rows, () => exists(fields.name))
  }

  async find(id: string, signal: AbortSignal): Outcome<ToolRow> {
    const rows = await runQuery(
      this.#database,
      FIND_TOOL({ id }),
      timeLimit(STATEMENT_MS, 'reading a tool', signal),
    )
    return firstOr(rows, notFound)
  }

  async findByName(name: string, signal: AbortSignal): Outcome<ToolRow> {
    const rows = await runQuery(
      this.#database,
      FIND_TOOL_BY_NAME({ name }),
      timeLimit(STATEMENT_MS, 'reading a tool', signal),
    )
    return firstOr(rows, notFound)
  }

  /** @returns `ORG_TOOL_DEPRECATED` for one that is */
  async findActive(id: string, signal: AbortSignal): Outcome<ToolRow> {
    const tool = await this.find(id, signal)
    return tool.ok && tool.value.deprecated
      ? err(OrgToolDeprecated(`the tool ${tool.value.name} is deprecated`))
      : tool
  }

  async list(
    filter: ToolFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
    signal: AbortSignal,
  ): Outcome<Page<ToolRow>> {
    const rows = await runQuery(
      this.#database,
      listTools(filter, limit + 1, offset),
      timeLimit(STATEMENT_MS, 'listing tools', signal),
    )
    return rows.ok ? ok(pageOf(rows.value, limit)) : rows
  }

  /** @param changes fields that are left out stay as they are */
  async update(id: string, changes: Partial<ToolFields>, signal: AbortSignal): Outcome<ToolRow> {
    const { name = null, description = null, tags = null } = changes
    const rows = await runQuery(
      this.#database,
      UPDATE_TOOL({ id, name, description, tags }),
      timeLimit(STATEMENT_MS, 'updating a tool', signal),
    )
    if (!rows.ok && rows.error.details?.['sqlstate'] === UNIQUE && name !== null)
      return err(exists(name))
    return firstOr(rows, notFound)
  }
}

/** One more row than is shown says whether there are more. */
export const pageOf = <T>(rows: readonly T[], limit: number): Page<T> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit,
})

function firstOr<T>(
  rows: Result<readonly T[], Failure>,
  missing: () => Failure,
): Result<T, Failure> {
  if (!rows.ok) return rows
  const [row] = rows.value
  return row === undefined ? err(missing()) : ok(row)
}

const notFound = (): Failure => OrgToolNotFound('there is no such tool in this organization')
const exists = (name: string): Failure =>
  OrgToolExists(`the organization has a tool with the name ${JSON.stringify(name)}`)
