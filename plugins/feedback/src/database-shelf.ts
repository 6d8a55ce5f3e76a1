import {
  ok,
  type Database,
  type Failure,
  type Result,
  type TenantDatabase,
  type TenantId,
} from '@amodal/sdk'
import { runQuery, tenantDatabase } from '@amodal/sdk/database'
import type {
  EntryKey,
  FeedbackCounts,
  FeedbackEntry,
  FeedbackFilter,
  FeedbackShelf,
  Place,
  Rating,
} from './entry.ts'
import { categories, days, FORGET, page, PUT, REMOVE } from './statements.ts'
import type { EntryRow } from './tables.ts'

export const databaseShelves =
  (database: Database) =>
  (tenant: TenantId): FeedbackShelf =>
    new DatabaseShelf(tenantDatabase(database, tenant))

/** The feedback of one tenant in the database. */
class DatabaseShelf implements FeedbackShelf {
  readonly #database: TenantDatabase

  constructor(database: TenantDatabase) {
    this.#database = database
  }

  async put(entry: FeedbackEntry, signal: AbortSignal): Promise<Result<FeedbackEntry, Failure>> {
    const rows = await runQuery(this.#database, PUT(rowOf(entry)), signal)
    return rows.ok ? ok({ ...entry, id: rows.value[0]?.id ?? entry.id }) : rows
  }

  async remove(key: EntryKey, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    const rows = await runQuery(this.#database, REMOVE({ ...key }), signal)
    return rows.ok ? ok(rows.value.length > 0) : rows
  }

  async list(
    filter: FeedbackFilter,
    { limit, after }: { readonly limit: number; readonly after?: Place },
    signal: AbortSignal,
  ): Promise<Result<readonly FeedbackEntry[], Failure>> {
    const rows = await runQuery(this.#database, page(filter, limit, after), signal)
    return rows.ok ? ok(rows.value.map(entryOf)) : rows
  }

  async counts(
    filter: FeedbackFilter,
    signal: AbortSignal,
  ): Promise<Result<FeedbackCounts, Failure>> {
    const [byDay, byCategory] = await Promise.all([
      runQuery(this.#database, days(filter), signal),
      runQuery(this.#database, categories(filter), signal),
    ])
    if (!byDay.ok) return byDay
    if (!byCategory.ok) return byCategory
    return ok({ days: byDay.value.map(rated), categories: byCategory.value.map(rated) })
  }

  async forget(session: string, signal: AbortSignal): Promise<Result<void, Failure>> {
    const removed = await runQuery(this.#database, FORGET({ session }), signal)
    return removed.ok ? ok(undefined) : removed
  }
}

/** Ratings in the table were written by this plugin. */
const rated = <R extends { readonly rating: string }>(row: R): R & { readonly rating: Rating } => ({
  ...row,
  rating: row.rating as Rating,
})

function rowOf(entry: FeedbackEntry): Omit<EntryRow, 'tenant'> {
  const { answeredAt, inputTokens, outputTokens, cost = null, ...same } = entry
  return {
    ...same,
    answered_at: answeredAt,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost,
  }
}

function entryOf(row: EntryRow): FeedbackEntry {
  const { tenant: _, answered_at, input_tokens, output_tokens, cost, ...same } = rated(row)
  return {
    ...same,
    answeredAt: answered_at,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(cost !== null && { cost }),
  }
}
