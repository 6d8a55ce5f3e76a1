import { err, ok, type Failure, type Result } from '@amodal/kernel'
import { failure } from '../errors.ts'
import type { MigrationList, Row, Statement } from '../ports/database.ts'
import { sql } from 'kysely'
import { connectionBroke, sqlstateOf } from './failures.ts'
import {
  EMPTY_STATE,
  isDone,
  MAY_TAKE_ROLE,
  READ_STATE,
  RECORD,
  schemaWork,
  stateOf,
  versionsTable,
  type Pending,
  type SchemaState,
  type SchemaWork,
} from './migrations.ts'
import { runIn, runQuery, statement, statementOf } from './statement.ts'
import { TENANT_ROLE, TENANT_SETTING } from './tenant.ts'
import type { Transaction } from './transaction.ts'

/**
 * What migrations need of a driver. No deadline but the signal: building an index may take long.
 */
export interface MigrationTarget {
  run(statement: Statement, signal: AbortSignal): Promise<Result<readonly Row[], Failure>>
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>>
}

/** Migrations applied by this call. */
export interface Migrated {
  readonly applied: readonly Pick<Pending, 'plugin' | 'n' | 'name'>[]
}

/** One lock for all who migrate this database, held until the end of each transaction. */
export const MIGRATION_LOCK = statement(
  () => sql`select pg_advisory_xact_lock(${sql.lit(0x616d6f64616c)})`,
)
const UNDEFINED_TABLE = '42P01'
const NOT_ALLOWED = '42501'

/**
 * Brings a database to what the plugins' lists say: each migration in a transaction of its own, in
 * plan order, under one advisory lock, the tenant policy of a new table in the same transaction.
 * Where nothing is to do it costs one select. Several processes may call it at once; each migration
 * runs once.
 *
 * Errors: `MIGRATION_CHANGED`, `MIGRATION_UNKNOWN`, `DATABASE_UNAVAILABLE` where the user may not
 * make the tenant role, `STORE_FAILED` naming the plugin and the migration that the database
 * refused.
 */
export async function migrate(
  target: MigrationTarget,
  lists: readonly MigrationList[],
  signal: AbortSignal,
): Promise<Result<Migrated, Failure>> {
  const state = await readSchemaState(target, signal)
  if (!state.ok) return state
  const first = schemaWork(lists, state.value)
  if (!first.ok) return first
  if (isDone(first.value)) return ok({ applied: [] })

  const prepared = await target.transaction(
    (transaction) => prepare(transaction, first.value),
    signal,
  )
  if (!prepared.ok) return unlessRole(prepared.error)
  const applied: Pending[] = []
  for (const migration of first.value.pending) {
    const done = await target.transaction(
      (transaction) => apply(transaction, migration, lists),
      signal,
    )
    if (!done.ok) return err(blame(done.error, migration))
    if (!done.value.ok) return done.value
    if (done.value.value) applied.push(migration)
  }
  const secured = await target.transaction(async (transaction) => {
    await transaction.run(MIGRATION_LOCK())
    await secure(
      transaction,
      lists.flatMap(({ tenantTables }) => tenantTables),
    )
  }, signal)
  return secured.ok ? ok({ applied }) : secured
}

/**
 * Which migrations a database has, and which tables carry the tenant policy; an empty state where
 * it was never migrated. Changes nothing.
 *
 * @example
 * const state = await readSchemaState(database, signal)
 * const work = state.ok ? schemaWork(lists, state.value) : state
 */
export async function readSchemaState(
  target: Pick<MigrationTarget, 'run'>,
  signal: AbortSignal,
): Promise<Result<SchemaState, Failure>> {
  const rows = await runQuery(target, READ_STATE(), signal)
  if (rows.ok) return ok(stateOf(rows.value[0]))
  return sqlstateOf(rows.error) === UNDEFINED_TABLE ? ok(EMPTY_STATE) : rows
}

async function prepare({ run, script }: Transaction, { role }: SchemaWork): Promise<void> {
  await run(MIGRATION_LOCK())
  await script(statementOf(versionsTable()).sql)
  if (role) await script(MAKE_ROLE().sql)
}

const ROLE = sql.lit(TENANT_ROLE)
const ROLE_ID = sql.id(TENANT_ROLE)

/**
 * Roles belong to the whole server, so another database's process may be making the same one now.
 */
const MAKE_ROLE = statement(
  () => sql`
do $$ begin
  if not exists (select from pg_roles where rolname = ${ROLE}) then
    begin
      create role ${ROLE_ID} nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if not (select ${MAY_TAKE_ROLE} from pg_roles where rolname = ${ROLE}) then
    execute format('grant %I to %I', ${ROLE}, current_user);
  end if;
end $$`,
)

const OPEN_SCHEMA = statement(
  () => sql`
do $$ begin
  if not has_schema_privilege(${ROLE}, current_schema(), 'usage') then
    execute format('grant usage on schema %I to %I', current_schema(), ${ROLE});
  end if;
end $$`,
)

function unlessRole(failed: Failure): Result<never, Failure> {
  if (sqlstateOf(failed) !== NOT_ALLOWED) return err(failed)
  return err(
    failure(
      'DATABASE_UNAVAILABLE',
      `the user of the database may neither make nor take the role "${TENANT_ROLE}", under which row security keeps tenants apart; have an administrator run: create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to <user>; grant usage on schema <schema> to ${TENANT_ROLE}`,
      { details: { sqlstate: NOT_ALLOWED }, cause: failed.cause },
    ),
  )
}

/**
 * `false` where another process was quicker; an `Err` where what it applied is not this migration.
 */
async function apply(
  transaction: Transaction,
  migration: Pending,
  lists: readonly MigrationList[],
): Promise<Result<boolean, Failure>> {
  await transaction.run(MIGRATION_LOCK())
  const { plugin, n, name, checksum } = migration
  const state = stateOf((await runIn(transaction.run, READ_STATE()))[0])
  const work = schemaWork(lists, state)
  if (!work.ok) return work
  if (!work.value.pending.some((pending) => pending.plugin === plugin && pending.n === n))
    return ok(false)
  await transaction.script(migration.sql)
  await secure(transaction, migration.tenantTables)
  await transaction.run(RECORD({ plugin, n, name, checksum }))
  return ok(true)
}

const UNSECURED = statement(
  ({ tables }: { tables: readonly string[] }) => sql<{ name: string }>`
select t.name from unnest(${tables}::text[]) t(name) where to_regclass(quote_ident(t.name)) is not null
  and not exists (select from pg_policies where schemaname = current_schema() and tablename = t.name and policyname = ${ROLE})`,
)

/** Puts the tenant policy on those of the tables that exist and have none. */
async function secure({ run, script }: Transaction, tables: readonly string[]): Promise<void> {
  const unsecured = await runIn(run, UNSECURED({ tables }))
  if (unsecured.length > 0) await script(OPEN_SCHEMA().sql)
  for (const { name } of unsecured) {
    for (const step of policyOf(name)) await script(statementOf(step).sql)
  }
}

/** What keeps everybody who takes the role at the rows of one tenant. */
function policyOf(name: string) {
  const table = sql.id(name)
  const own = sql`tenant = (select current_setting(${sql.lit(TENANT_SETTING)}, true))`
  return [
    sql`alter table ${table} enable row level security`,
    sql`create policy ${ROLE_ID} on ${table} to ${ROLE_ID} using (${own}) with check (${own})`,
    sql`grant select, insert, update, delete on ${table} to ${ROLE_ID}`,
  ]
}

function blame(failed: Failure, { plugin, n, name }: Pending): Failure {
  if (connectionBroke(failed)) return failed
  return {
    ...failed,
    message: `migration ${n} ("${name}") of ${plugin} failed: ${failed.message}`,
    details: { ...failed.details, plugin, n },
  }
}
