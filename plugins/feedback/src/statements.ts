import { sql, statement } from '@amodal/sdk/database'
import type { FeedbackFilter, Place } from './entry.ts'
import { db, type EntryRow } from './tables.ts'

export const PUT = statement((row: Omit<EntryRow, 'tenant'>) =>
  db
    .insertInto('feedback_entry')
    .values({
      session: row.session,
      run: row.run,
      principal: row.principal,
      id: row.id,
      at: row.at,
      rating: row.rating,
      categories: row.categories,
      comment: row.comment,
      tags: row.tags,
      seq: row.seq,
      answered_at: row.answered_at,
      question: row.question,
      answer: row.answer,
      model: row.model,
      provider: row.provider,
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      cost: row.cost,
    })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'session', 'run', 'principal']).doUpdateSet((eb) => ({
        at: eb.ref('excluded.at'),
        rating: eb.ref('excluded.rating'),
        categories: eb.ref('excluded.categories'),
        comment: eb.ref('excluded.comment'),
        tags: eb.ref('excluded.tags'),
        seq: eb.ref('excluded.seq'),
        answered_at: eb.ref('excluded.answered_at'),
        question: eb.ref('excluded.question'),
        answer: eb.ref('excluded.answer'),
        model: eb.ref('excluded.model'),
        provider: eb.ref('excluded.provider'),
        input_tokens: eb.ref('excluded.input_tokens'),
        output_tokens: eb.ref('excluded.output_tokens'),
        cost: eb.ref('excluded.cost'),
      })),
    )
    .returning('id'),
)

interface Key {
  readonly session: string
  readonly run: string
  readonly principal: string
}
export const REMOVE = statement(({ session, run, principal }: Key) =>
  db
    .deleteFrom('feedback_entry')
    .where('session', '=', session)
    .where('run', '=', run)
    .where('principal', '=', principal)
    .returning('id'),
)

export const FORGET = statement(({ session }: { session: string }) =>
  db.deleteFrom('feedback_entry').where('session', '=', session),
)

/** Those that a filter lets through. */
function filtered({ session, rating, category, from, to, principal }: FeedbackFilter) {
  let query = db.selectFrom('feedback_entry')
  if (session !== undefined) query = query.where('session', '=', session)
  if (rating !== undefined) query = query.where('rating', '=', rating)
  if (category !== undefined) query = query.where(sql<boolean>`${category} = any(categories)`)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<', to)
  return principal === undefined ? query : query.where('principal', '=', principal)
}

export function page(filter: FeedbackFilter, limit: number, after: Place | undefined) {
  const query = filtered(filter)
  const rest = after
    ? query.where(sql<boolean>`(at, id) < (${after.at}::bigint, ${after.id}::text)`)
    : query
  return rest.selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
}

const COUNT = sql<number>`count(*)::bigint`.as('count')
const DAY = sql<string>`to_char(to_timestamp(at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`

export const days = (filter: FeedbackFilter) =>
  filtered(filter)
    .select([DAY.as('day'), 'rating', COUNT])
    .groupBy([sql.ref('day'), 'rating'])
    .orderBy(sql.ref('day'), 'desc')
    .orderBy('rating', 'desc')

export const categories = (filter: FeedbackFilter) =>
  filtered(filter)
    .select([sql<string>`unnest(categories)`.as('category'), 'rating', COUNT])
    .groupBy([sql.ref('category'), 'rating'])
    .orderBy(sql.ref('count'), 'desc')
    .orderBy(sql.ref('category'))

interface Erase {
  readonly principal: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
  /** JSON of the sessions that are erased. */
  readonly sessions: string
}
/** What a person has said, and what others have said of the sessions of that person. */
export const ERASE = statement(
  ({ principal, tenant, sessions }: Erase) => sql<{ id: string }>`
delete from feedback_entry f
where (f.principal = ${principal} and f.tenant = coalesce(${tenant}::text, f.tenant))
  or exists (select from jsonb_to_recordset(${sessions}::jsonb) x(tenant text, session text) where x.tenant = f.tenant and x.session = f.session)
returning f.id`,
)
