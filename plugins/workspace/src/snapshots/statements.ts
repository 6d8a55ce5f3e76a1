import { sql, statement } from '@amodal/sdk/database'
import { db } from '../tables.ts'

interface Blob {
  readonly hash: string
  readonly bytes: Uint8Array
}
/** A blob that exists is marked as used, so that no clean-up removes it meanwhile. */
export const ADD_BLOB = statement(({ hash, bytes }: Blob) =>
  db
    .insertInto('workspace_blob')
    .values({ hash, bytes })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'hash']).doUpdateSet({ used_at: sql<Date>`clock_timestamp()` }),
    )
    .returning('hash'),
)

export const BLOBS = statement(({ hashes }: { readonly hashes: readonly string[] }) =>
  db
    .selectFrom('workspace_blob')
    .select(['hash', 'bytes'])
    .where(sql<boolean>`hash = any(${hashes}::text[])`),
)

export interface NewSnapshot {
  readonly id: string
  readonly session: string
  readonly principal: string
  readonly run: string | null
  readonly parent: string | null
  readonly manifest: string
  readonly hashes: readonly string[]
  readonly files: number
  readonly bytes: number
}
export const ADD_SNAPSHOT = statement(
  ({ id, session, principal, run, parent, manifest, hashes, files, bytes }: NewSnapshot) =>
    db.insertInto('workspace_snapshot').values({
      id,
      session,
      principal,
      run,
      parent,
      manifest: sql`${manifest}::jsonb`,
      hashes: sql<readonly string[]>`${hashes}::text[]`,
      files,
      bytes,
    }),
)

export const SNAPSHOT = statement(({ id }: { readonly id: string }) =>
  db
    .selectFrom('workspace_snapshot')
    .select(['id', 'session', 'run', 'parent', 'manifest'])
    .where('id', '=', id),
)

interface OfSession {
  readonly session: string
}
/** Without their manifests, the newest first. */
export const SNAPSHOTS = statement(({ session, limit }: OfSession & { readonly limit: number }) =>
  db
    .selectFrom('workspace_snapshot')
    .select(['id', 'run', 'parent', 'files', 'bytes', 'created_at'])
    .where('session', '=', session)
    .orderBy('seq', 'desc')
    .limit(sql<number>`${limit}::int`),
)

/**
 * The newest snapshot of each session, the newest first.
 *
 * @param principal whose; `null`: of everybody
 */
export const RECENT = statement(
  ({ principal, limit }: { readonly principal: string | null; readonly limit: number }) => sql<{
    readonly session: string
    readonly principal: string
    readonly files: number
    readonly bytes: number
    readonly created_at: Date
  }>`
select session, principal, files, bytes, created_at from (
  select distinct on (session) session, principal, files, bytes, created_at
  from workspace_snapshot
  where ${principal}::text is null or principal = ${principal}
  order by session, seq desc) newest
order by created_at desc limit ${limit}::int`,
)

/** What a run began with. */
export const BEFORE_RUN = statement(({ session, run }: OfSession & { readonly run: string }) =>
  db
    .selectFrom('workspace_snapshot')
    .select('parent')
    .where('session', '=', session)
    .where('run', '=', run)
    .orderBy('seq')
    .limit(1),
)

export const AFTER_RUN = statement(({ session, run }: OfSession & { readonly run: string }) =>
  db
    .selectFrom('workspace_snapshot')
    .select('id')
    .where('session', '=', session)
    .where('run', '=', run)
    .orderBy('seq', 'desc')
    .limit(1),
)

export const PRUNE = statement(
  ({ session, keep, current }: OfSession & { readonly keep: number; readonly current: string }) =>
    db
      .deleteFrom('workspace_snapshot')
      .where('session', '=', session)
      .where('id', '<>', current)
      .where(
        sql<boolean>`id in (
        select s.id from workspace_snapshot s where s.session = ${session}
        order by s.seq desc offset ${keep}::int)`,
      )
      .returning('hashes'),
)

export const REMOVE_SESSION = statement(({ session }: OfSession) =>
  db.deleteFrom('workspace_snapshot').where('session', '=', session).returning('hashes'),
)

/** Removes those of the hashes that no snapshot refers to, and none that was used just now. */
export const REMOVE_BLOBS = statement(({ hashes }: { readonly hashes: readonly string[] }) =>
  db
    .deleteFrom('workspace_blob')
    .where(sql<boolean>`hash = any(${hashes}::text[])`)
    .where(sql<boolean>`used_at < clock_timestamp() - interval '10 minutes'`)
    .where(
      sql<boolean>`not exists (
        select from workspace_snapshot s
        where s.tenant = workspace_blob.tenant and s.hashes @> array[workspace_blob.hash])`,
    )
    .returning('hash'),
)

interface Person {
  readonly principal: string
  readonly tenant: string | null
}
/** Also the contents: whose files they are is all that is known of a blob. */
export const ERASE_SNAPSHOTS = statement(({ principal, tenant }: Person) =>
  db
    .deleteFrom('workspace_snapshot')
    .where('principal', '=', principal)
    .where(sql<boolean>`(${tenant}::text is null or tenant = ${tenant})`)
    .returning(['tenant', 'id']),
)
export const ERASE_BLOBS = statement(({ tenant }: { readonly tenant: string | null }) =>
  db
    .deleteFrom('workspace_blob')
    .where(sql<boolean>`(${tenant}::text is null or tenant = ${tenant})`)
    .where(
      sql<boolean>`not exists (
        select from workspace_snapshot s
        where s.tenant = workspace_blob.tenant and s.hashes @> array[workspace_blob.hash])`,
    )
    .returning('hash'),
)
