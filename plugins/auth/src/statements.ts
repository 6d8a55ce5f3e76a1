import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

const COLUMNS = [
  'tenant',
  'id',
  'digest',
  'name',
  'roles',
  'scopes',
  'created_at',
  'expires_at',
  'revoked_at',
] as const

export const LIST = statement(() =>
  db.selectFrom('auth_key').select(COLUMNS).orderBy('created_at').orderBy('id'),
)

interface NewKey {
  readonly tenant: string
  readonly id: string
  readonly digest: Uint8Array
  readonly name: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  readonly expiresAt: Date | null
}

export const CREATE = statement(({ tenant, id, digest, name, roles, scopes, expiresAt }: NewKey) =>
  db
    .insertInto('auth_key')
    .values({ tenant, id, digest, name, roles, scopes, expires_at: expiresAt })
    .returning(COLUMNS),
)

const REVOKED_AT = sql<Date>`coalesce(revoked_at, clock_timestamp())`

export const REVOKE = statement(({ id }: { id: string }) =>
  db.updateTable('auth_key').set({ revoked_at: REVOKED_AT }).where('id', '=', id).returning('id'),
)

/** Of one tenant, or of all: `null`. */
export const ERASE = statement(
  ({ principal, tenant }: { principal: string; tenant: string | null }) =>
    db
      .updateTable('auth_key')
      .set({ name: 'erased', revoked_at: REVOKED_AT })
      .where((eb) => eb.or([eb('name', '=', principal), eb(sql`'key:' || id`, '=', principal)]))
      .where((eb) => eb.or([sql<boolean>`${tenant}::text is null`, eb('tenant', '=', tenant)]))
      .where((eb) => eb.or([eb('name', '<>', 'erased'), eb('revoked_at', 'is', null)]))
      .returning('id'),
)

/** Whether keys were ever kept here, whatever the configuration says now. */
export const IS_KEPT = statement(
  () => sql<{ kept: boolean }>`select to_regclass('auth_key') is not null as kept`,
)
