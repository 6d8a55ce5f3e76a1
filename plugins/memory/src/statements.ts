import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface Owner {
  readonly owner: string
}

/** Serialises the writers of one owner until the transaction ends. */
export const LOCK = statement(
  ({ owner }: Owner) =>
    sql`select pg_advisory_xact_lock(hashtextextended('memory:' || ${owner}::text, 0))`,
)

/** All notes of an owner: those of the same text first, then the one of this id. */
export const LIKE = statement(({ owner, text, id }: Owner & { text: string; id: string }) =>
  db
    .selectFrom('memory_note')
    .select((eb) => ['id', eb('text', '=', text).as('same'), sql<number>`length(text)`.as('chars')])
    .where('owner', '=', owner)
    .orderBy((eb) => eb('text', '=', text), 'desc')
    .orderBy((eb) => eb('id', '=', id), 'desc'),
)

export const ADD = statement(
  (note: Owner & { id: string; text: string; origin: string; notedBy: string }) =>
    db.insertInto('memory_note').values({
      owner: note.owner,
      id: note.id,
      text: note.text,
      origin: sql`${note.origin}::jsonb`,
      noted_by: note.notedBy,
    }),
)

export const LIST = statement(({ owner }: Owner) =>
  db
    .selectFrom('memory_note')
    .select(['id', 'text', 'origin', 'noted_by', 'at'])
    .where('owner', '=', owner)
    .orderBy('at')
    .orderBy('id'),
)

export const REMOVE = statement(({ owner, id }: Owner & { id: string }) =>
  db.deleteFrom('memory_note').where('owner', '=', owner).where('id', '=', id).returning('id'),
)

export const CLEAR = statement(({ owner }: Owner) =>
  db.deleteFrom('memory_note').where('owner', '=', owner).returning('id'),
)

/** Deletes the notes of a person, and those they wrote for a tenant; `null`: of all tenants. */
export const ERASE = statement(
  ({ principal, tenant }: { principal: string; tenant: string | null }) =>
    db
      .deleteFrom('memory_note')
      .where((eb) => eb.or([eb('owner', '=', principal), eb('noted_by', '=', principal)]))
      .where((eb) => eb.or([sql<boolean>`${tenant}::text is null`, eb('tenant', '=', tenant)]))
      .returning('id'),
)
