import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface ById {
  readonly id: string
}

export const POINTER = statement(() =>
  db
    .selectFrom('deploy_pointer')
    .select(['snapshot', 'canary', 'percent', 'version'])
    .where('tenant', '=', '')
    .where('name', '=', 'current'),
)

/** Makes the row that is locked next, where there is none. */
export const ADD_POINTER = statement(() =>
  db
    .insertInto('deploy_pointer')
    .values({ tenant: '', name: 'current', snapshot: null, canary: null, percent: 0, version: 0 })
    .onConflict((conflict) => conflict.columns(['tenant', 'name']).doNothing()),
)

export const LOCK_POINTER = statement(() =>
  db
    .selectFrom('deploy_pointer')
    .select(['snapshot', 'canary', 'percent', 'version'])
    .where('tenant', '=', '')
    .where('name', '=', 'current')
    .forUpdate(),
)

interface Moved {
  readonly snapshot: string | null
  readonly canary: string | null
  readonly percent: number
}
export const MOVE_POINTER = statement(({ snapshot, canary, percent }: Moved) =>
  db
    .updateTable('deploy_pointer')
    .set({ snapshot, canary, percent, version: sql<number>`version + 1` })
    .where('tenant', '=', '')
    .where('name', '=', 'current')
    .returning(['snapshot', 'canary', 'percent', 'version']),
)

interface Added {
  readonly id: string
  readonly agent: string
  readonly version: string
  readonly runtime: string
  readonly files: number
  readonly size: number
  readonly archive: Uint8Array
  readonly pushedBy: string
}
export const ADD = statement((row: Added) =>
  db
    .insertInto('deploy_snapshot')
    .values({
      tenant: '',
      id: row.id,
      agent: row.agent,
      version: row.version,
      runtime: row.runtime,
      files: row.files,
      size: row.size,
      archive: row.archive,
      pushed_by: row.pushedBy,
    })
    .onConflict((conflict) => conflict.columns(['tenant', 'id']).doNothing())
    .returning('id'),
)

export const ARCHIVE = statement(({ id }: ById) =>
  db.selectFrom('deploy_snapshot').select('archive').where('tenant', '=', '').where('id', '=', id),
)

const SHOWN = [
  'id',
  'agent',
  'version',
  'runtime',
  'files',
  'size',
  'pushed_at',
  'pushed_by',
] as const

export const LIST = statement(() =>
  db
    .selectFrom('deploy_snapshot')
    .select([...SHOWN])
    .where('tenant', '=', '')
    .orderBy('pushed_at', 'desc')
    .orderBy('id'),
)

export const FIND = statement(({ id }: ById) =>
  db
    .selectFrom('deploy_snapshot')
    .select([...SHOWN])
    .where('tenant', '=', '')
    .where(sql<boolean>`id like ${id} || '%'`)
    .limit(2),
)

/** Snapshots beyond the newest, but for those in use. */
export const PRUNE = statement(({ keep }: { keep: number }) =>
  db
    .deleteFrom('deploy_snapshot')
    .where('tenant', '=', '')
    .where(
      sql<boolean>`id in (
        select s.id from deploy_snapshot s where s.tenant = ''
        order by s.pushed_at desc, s.id offset ${keep}::int)
      and not exists (
        select from deploy_pointer p where p.tenant = '' and deploy_snapshot.id in (p.snapshot, p.canary))`,
    )
    .returning('id'),
)

interface Noted {
  readonly who: string
  readonly what: string
  readonly snapshot: string | null
  readonly previous: string | null
  readonly percent: number | null
}
export const NOTE = statement(({ who, what, snapshot, previous, percent }: Noted) =>
  db.insertInto('deploy_event').values({ tenant: '', who, what, snapshot, previous, percent }),
)

export const EVENTS = statement(({ limit }: { limit: number }) =>
  db
    .selectFrom('deploy_event')
    .select(['at', 'who', 'what', 'snapshot', 'previous', 'percent'])
    .where('tenant', '=', '')
    .orderBy('seq', 'desc')
    .limit(sql<number>`${limit}::int`),
)

/** What was in use before a snapshot took its place for the last time. */
export const BEFORE = statement(({ id }: ById) =>
  db
    .selectFrom('deploy_event')
    .select('previous')
    .where('tenant', '=', '')
    .where('what', '=', 'promoted')
    .where('snapshot', '=', id)
    // promoted while it was in use, it has taken no place
    .where(sql<boolean>`previous is distinct from snapshot`)
    .orderBy('seq', 'desc')
    .limit(1),
)

interface Erased {
  readonly principal: string
}
export const ERASE_EVENTS = statement(({ principal }: Erased) =>
  db.updateTable('deploy_event').set({ who: '' }).where('who', '=', principal).returning('seq'),
)
export const ERASE_SNAPSHOTS = statement(({ principal }: Erased) =>
  db
    .updateTable('deploy_snapshot')
    .set({ pushed_by: '' })
    .where('pushed_by', '=', principal)
    .returning('id'),
)
