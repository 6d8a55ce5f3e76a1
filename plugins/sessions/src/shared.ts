import { parseExact } from '@amodal/sdk/data'
import type { Commit, SharedChange, SharedValue, TenantId } from '@amodal/sdk'
import { sql, statement, type Selectable } from '@amodal/sdk/database'
import { db, type Tables } from './tables.ts'

type Row = Pick<Selectable<Tables['sessions_shared']>, 'name' | 'version' | 'value'>

export const SHARED = statement(({ tenant }: { readonly tenant: TenantId }) =>
  db
    .selectFrom('sessions_shared')
    .select(['name', 'version', 'value'])
    .where('tenant', '=', tenant)
    .orderBy('name'),
)

export const sharedOf = ({ name, version, value }: Row): SharedValue => ({
  name,
  version,
  value: parseExact(value) as SharedValue['value'], // written below
})

/** Locks the session's row, and says which commit was written to it last. */
export const LAST_KEY = statement(({ tenant, session }: Pick<Commit, 'tenant' | 'session'>) =>
  db
    .selectFrom('sessions_lane')
    .select('last_key')
    .where('tenant', '=', tenant)
    .where('session', '=', session)
    .forUpdate(),
)

/**
 * Changes those shared values whose version is still the one that was read, and returns the number
 * of changed values. A concurrent transaction waits for the first, then finds a newer version and
 * changes nothing. Written as SQL: the update and the insert are one statement.
 */
export const SHARE = statement(
  ({ tenant, changes }: { readonly tenant: TenantId; readonly changes: string }) =>
    sql<{ readonly n: number }>`
with c as (
  select * from jsonb_to_recordset(${changes}::jsonb) x(name text collate "C", base bigint, value text) order by name),
u as (
  update sessions_shared s set version = s.version + 1, value = c.value
  from c where s.tenant = ${tenant} and s.name = c.name and s.version = c.base
  returning s.name),
i as (
  insert into sessions_shared(tenant, name, version, value)
  select ${tenant}, c.name, 1, c.value from c where c.base = 0
  on conflict do nothing
  returning name)
select ((select count(*) from u) + (select count(*) from i))::int n`,
)

export const changeRows = (changes: readonly SharedChange[]): string =>
  JSON.stringify(changes.map((one) => ({ ...one, value: JSON.stringify(one.value) })))
