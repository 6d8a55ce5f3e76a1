import {
  ok,
  timeLimit,
  type Database,
  type Failure,
  type Result,
  type TenantDatabase,
  type TenantId,
} from '@amodal/sdk'
import { runQuery, tenantDatabase } from '@amodal/sdk/database'
import {
  BEGIN_INVOCATION,
  END_INVOCATION,
  FORGET_CONVERSATION,
  INVOCATIONS_BY_ID,
  listInvocations,
  searchInvocations,
  type InvocationEnd,
  type InvocationFilter,
  type NewInvocation,
} from './invocation-statements.ts'
import { STATEMENT_MS } from './operations.ts'
import type { InvocationStatus } from '../tables.ts'
import { pageOf, type Page } from './tool-store.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** One run of a tool, as it is stored. */
export interface InvocationRow {
  readonly id: string
  readonly tool: string
  readonly version: string | null
  readonly at: Date
  readonly ms: number | null
  readonly mode: string
  readonly source: string
  readonly principal: string
  readonly conversation: string | null
  readonly interaction: string | null
  readonly simulation_run: string | null
  readonly status: InvocationStatus
  readonly input: string
  readonly output: string | null
  readonly error_code: string | null
  readonly error: string | null
  readonly stack: string | null
}

interface Window {
  readonly limit: number
  readonly offset: number
}

/** The history of the tools of one tenant. */
export class InvocationStore {
  readonly #tenant: TenantId
  readonly #database: Database
  readonly #ofTenant: TenantDatabase

  constructor(database: Database, tenant: TenantId) {
    this.#tenant = tenant
    this.#database = database
    this.#ofTenant = tenantDatabase(database, tenant)
  }

  async begin(row: NewInvocation): Outcome<void> {
    const limit = timeLimit(STATEMENT_MS, 'recording an invocation')
    const added = await runQuery(this.#ofTenant, BEGIN_INVOCATION(row), limit)
    return added.ok ? ok(undefined) : added
  }

  async end(end: InvocationEnd): Outcome<void> {
    const limit = timeLimit(STATEMENT_MS, 'recording an invocation')
    const updated = await runQuery(this.#ofTenant, END_INVOCATION(end), limit)
    return updated.ok ? ok(undefined) : updated
  }

  async list(
    filter: InvocationFilter,
    { limit, offset }: Window,
    signal: AbortSignal,
  ): Outcome<Page<InvocationRow>> {
    const rows = await runQuery(
      this.#ofTenant,
      listInvocations(filter, limit + 1, offset),
      timeLimit(STATEMENT_MS, 'listing invocations', signal),
    )
    return rows.ok ? ok(pageOf(rows.value, limit)) : rows
  }

  async search(
    words: string,
    filter: InvocationFilter,
    { limit, offset }: Window,
    signal: AbortSignal,
  ): Outcome<Page<InvocationRow>> {
    const time = timeLimit(STATEMENT_MS, 'searching invocations', signal)
    const place = { tenant: this.#tenant, words }
    const query = searchInvocations(place, filter, limit + 1, offset)
    const ids = await runQuery(this.#database, query, time)
    if (!ids.ok) return ids
    const page = pageOf(ids.value, limit)
    const found = page.items.map(({ id }) => id)
    const rows = await runQuery(this.#ofTenant, INVOCATIONS_BY_ID({ ids: found }), time)
    return rows.ok ? ok({ items: rows.value, hasMore: page.hasMore }) : rows
  }

  /**
   * Removes the references to a conversation; the invocations stay.
   *
   * @param interactions those that were rolled back; `undefined`: all
   */
  async forget(
    conversation: string,
    interactions: readonly string[] | undefined,
    signal: AbortSignal,
  ): Outcome<void> {
    const chosen = interactions ? JSON.stringify(interactions) : null
    const forgotten = await runQuery(
      this.#ofTenant,
      FORGET_CONVERSATION({ conversation, interactions: chosen }),
      timeLimit(STATEMENT_MS, 'forgetting a conversation', signal),
    )
    return forgotten.ok ? ok(undefined) : forgotten
  }
}
