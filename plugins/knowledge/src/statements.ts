import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

/** By name, so that the same documents give the same prompt. */
export const LIST = statement(() =>
  db
    .selectFrom('knowledge_document')
    .select(['name', 'title', 'body', 'category'])
    .orderBy(sql`name collate "C"`),
)

/** Serialises the writers of one tenant until the transaction ends. */
export const LOCK = statement(
  ({ tenant }: { tenant: string }) =>
    sql`select pg_advisory_xact_lock(hashtextextended('knowledge:' || ${tenant}::text, 0))`,
)

/** Characters of all documents but one. */
export const CHARS = statement(({ name }: { name: string }) =>
  db
    .selectFrom('knowledge_document')
    .select(sql<number>`coalesce(sum(length(title) + length(body)), 0)::int`.as('chars'))
    .where('name', '<>', name),
)

interface Put {
  readonly name: string
  readonly title: string
  readonly body: string
  readonly category: string | null
  readonly session: string
}

export const PUT = statement(({ name, title, body, category, session }: Put) =>
  db
    .insertInto('knowledge_document')
    .values({ name, title, body, category, approved_in: session })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'name']).doUpdateSet((eb) => ({
        title: eb.ref('excluded.title'),
        body: eb.ref('excluded.body'),
        category: eb.ref('excluded.category'),
        approved_in: eb.ref('excluded.approved_in'),
        at: eb.ref('excluded.at'),
      })),
    ),
)

export const REMOVE = statement(({ name }: { name: string }) =>
  db.deleteFrom('knowledge_document').where('name', '=', name).returning('name'),
)

interface Session {
  readonly tenant: string
  readonly session: string
}

/** Deletes documents that were approved in these sessions (JSON). */
export const ERASE = statement(({ sessions }: { sessions: string }) =>
  db
    .deleteFrom('knowledge_document as d')
    .using(
      sql<Session>`jsonb_to_recordset(${sessions}::jsonb)`.as<'gone'>(
        sql`gone(tenant text, session text)`,
      ),
    )
    .whereRef('d.tenant', '=', 'gone.tenant')
    .whereRef('d.approved_in', '=', 'gone.session')
    .returning('d.name'),
)

/** Whether the table exists, regardless of the current configuration. */
export const IS_KEPT = statement(
  () => sql<{ kept: boolean }>`select to_regclass('knowledge_document') is not null as kept`,
)
