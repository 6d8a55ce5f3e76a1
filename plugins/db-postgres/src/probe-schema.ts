import type { Checkup } from '@amodal/sdk'
import { schemaWork, type Applied, type MigrationLists } from '@amodal/sdk/database'
import { checkupOf } from './probe-server.ts'
import type { Read } from './probe-read.ts'

/** Pending migrations that are named. */
const SHOWN = 10

/** What a start would migrate, and whether it may. */
export async function schemaCheckups(
  read: Read,
  lists: MigrationLists,
): Promise<readonly Checkup[]> {
  const [rights = {}] = await read(`select current_user::text who, current_schema()::text schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)::text may,
    (to_regclass('amodal_migrations') is not null)::text made,
    coalesce((select string_agg(tablename, ', ') from pg_tables
      where schemaname = current_schema() and tablename = 'amodal_migrations'
      and not pg_has_role(tableowner, 'USAGE')), '') foreign_table`)
  const isMade = rights['made'] === 'true'
  const applied = isMade
    ? await read('select plugin, n, name, checksum from amodal_migrations order by plugin, n')
    : []
  const work = schemaWork([...lists.values()], {
    applied: applied.map(appliedOf),
    secured: new Set(),
    role: true,
  })
  if (!work.ok)
    return [
      {
        title: 'Schema does not fit this release',
        ok: false,
        lines: [
          `${work.error.code}: ${work.error.message}`,
          'run the release that migrated it, or a newer one; nothing was changed',
        ],
      },
    ]
  const { pending } = work.value
  const names = pending.map(({ plugin, n, name }) => `${plugin} ${n}: ${name}`)
  const more = names.length > SHOWN ? [`and ${names.length - SHOWN} more`] : []
  const problems = rightsProblems(rights, pending.length > 0)
  return [
    {
      title: schemaTitle(isMade, applied.length, pending.length),
      ok: true,
      lines: [...names.slice(0, SHOWN), ...more],
    },
    checkupOf(`Rights of ${String(rights['who'])}`, problems),
  ]
}

function schemaTitle(isMade: boolean, applied: number, pending: number): string {
  if (!isMade) return `Schema: none yet; the next start makes it with ${pending} migrations`
  if (pending === 0) return `Schema: ${applied} migrations applied, nothing to do`
  return `Schema: ${applied} migrations applied; the next start applies ${pending}`
}

function rightsProblems(
  rights: Readonly<Record<string, unknown>>,
  isPending: boolean,
): readonly string[] {
  const { may, foreign_table: foreign } = rights
  const who = String(rights['who'])
  const schema = typeof rights['schema'] === 'string' ? rights['schema'] : ''
  if (schema === '')
    return ['its search_path names no schema that exists: create one, or set search_path']
  return [
    ...(may === 'true'
      ? []
      : [
          `it may create no tables in schema ${schema}${isPending ? ', and the next start has to' : ''}: grant create on schema ${schema} to ${who}`,
        ]),
    ...(foreign === ''
      ? []
      : [`the tables belong to another user: reassign them to ${who}, or connect as their owner`]),
  ]
}

const appliedOf = (row: Readonly<Record<string, unknown>>): Applied => ({
  plugin: String(row['plugin']),
  n: Number(row['n']),
  name: String(row['name']),
  checksum: String(row['checksum']),
})
