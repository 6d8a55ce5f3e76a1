import { sql, statement } from '@amodal/sdk/database'
import { db, type VersionRow } from '../tables.ts'

/** What chooses and sorts versions, without their schemas. */
export const VERSION_NUMBERS = statement(({ tool }: { tool: string }) =>
  db
    .selectFrom('tools_versions_version')
    .select(['major', 'minor', 'patch', 'creator', 'deprecated', 'created_at'])
    .where('tool', '=', tool)
    .orderBy('major')
    .orderBy('minor')
    .orderBy('patch'),
)

/** Numbers of versions as texts, of one tool or of all. */
export const VERSION_TEXTS = statement(({ tool }: { tool: string | null }) =>
  db
    .selectFrom('tools_versions_version')
    .select(sql<string>`major || '.' || minor || '.' || patch`.as('version'))
    .distinct()
    .where(sql<boolean>`tool = coalesce(${tool}::text, tool)`),
)

export const PUBLISHED_VERSIONS = statement(({ names }: { names: readonly string[] }) =>
  db
    .selectFrom('tools_versions_tool as t')
    .innerJoin('tools_versions_version as v', (join) =>
      join.onRef('v.tenant', '=', 't.tenant').onRef('v.tool', '=', 't.id'),
    )
    .select(['t.name', 'v.tool', 'v.major', 'v.minor', 'v.patch'])
    .where(sql<boolean>`t.name = any(${names}::text[])`)
    .where('t.deprecated', '=', false)
    .where('v.deprecated', '=', false),
)

interface VersionKey {
  readonly tool: string
  readonly major: number
  readonly minor: number
  readonly patch: number
}
export const FIND_VERSION = statement(({ tool, major, minor, patch }: VersionKey) =>
  db
    .selectFrom('tools_versions_version')
    .selectAll()
    .where('tool', '=', tool)
    .where('major', '=', major)
    .where('minor', '=', minor)
    .where('patch', '=', patch),
)

/** @param numbers JSON of versions */
export const FIND_VERSIONS = statement(({ tool, numbers }: { tool: string; numbers: string }) =>
  db
    .selectFrom('tools_versions_version')
    .selectAll()
    .where('tool', '=', tool)
    .where(among(numbers)),
)

const among = (numbers: string) => sql<boolean>`exists (
  select from jsonb_to_recordset(${numbers}::jsonb) x(major int, minor int, patch int)
  where (x.major, x.minor, x.patch) = (tools_versions_version.major, tools_versions_version.minor, tools_versions_version.patch))`

export const ADD_ARCHIVE = statement(({ hash, bytes }: { hash: string; bytes: Uint8Array }) =>
  db
    .insertInto('tools_versions_archive')
    .values({ hash, bytes })
    .onConflict((conflict) =>
      // locks the row, so that it is not removed meanwhile
      conflict.columns(['tenant', 'hash']).doUpdateSet((eb) => ({ hash: eb.ref('excluded.hash') })),
    ),
)
export const FIND_ARCHIVE = statement(({ hash }: { hash: string }) =>
  db.selectFrom('tools_versions_archive').select('bytes').where('hash', '=', hash),
)

export type NewVersion = Omit<
  VersionRow,
  'tenant' | 'deprecated' | 'deprecated_at' | 'created_at' | 'variables'
> & { readonly variables: string }

export const ADD_VERSION = statement((row: NewVersion) =>
  db
    .insertInto('tools_versions_version')
    .values({
      tool: row.tool,
      major: row.major,
      minor: row.minor,
      patch: row.patch,
      description: row.description,
      language: row.language,
      entry: row.entry,
      repo: row.repo,
      branch: row.branch,
      revision: row.revision,
      archive: row.archive,
      input: row.input,
      output: row.output,
      variables: sql`${row.variables}::jsonb`,
      lock_hash: row.lock_hash,
      creator: row.creator,
    })
    .returningAll(),
)

/** @param numbers JSON of versions */
export const DEPRECATE_VERSIONS = statement(
  ({ tool, numbers }: { tool: string; numbers: string }) =>
    db
      .updateTable('tools_versions_version')
      .set({ deprecated: true, deprecated_at: sql<Date>`clock_timestamp()` })
      .where('tool', '=', tool)
      .where('deprecated', '=', false)
      .where(among(numbers))
      .returning(['major', 'minor', 'patch']),
)

/** Versions that are not deprecated and require a variable. */
export const VERSIONS_WITH_VARIABLE = statement(({ tool, name }: { tool: string; name: string }) =>
  db
    .selectFrom('tools_versions_version')
    .select(['major', 'minor', 'patch'])
    .where('tool', '=', tool)
    .where('deprecated', '=', false)
    .where(
      sql<boolean>`variables @> jsonb_build_array(jsonb_build_object('name', ${name}::text, 'required', true))`,
    )
    .orderBy('major')
    .orderBy('minor')
    .orderBy('patch'),
)

/** Versions of whose code none may be invoked, and none was deprecated in the last ms. */
const unused = (ms: number) => sql`
exists (select from tools_versions_version v where v.tenant = a.tenant and v.archive = a.hash)
and not exists (
  select from tools_versions_version v
  where v.tenant = a.tenant and v.archive = a.hash
    and (not v.deprecated or v.deprecated_at > clock_timestamp() - ${ms}::bigint * interval '1 millisecond'))`

/** A publication of the same code waits, or has been committed when they are removed. */
export const LOCK_ARCHIVES = statement(
  ({ ms }: { ms: number }) => sql<{ hash: string }>`
select a.hash from tools_versions_archive a where ${unused(ms)} for update`,
)
export const REMOVE_ARCHIVES = statement(
  ({ ms }: { ms: number }) => sql<{ hash: string }>`
delete from tools_versions_archive a where ${unused(ms)} returning a.hash`,
)
