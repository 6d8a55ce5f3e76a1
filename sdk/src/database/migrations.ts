import { createHash } from 'node:crypto'
import { err, messageOf, ok, type Failure, type Result } from '@amodal/kernel'
import { sql, type Generated } from 'kysely'
import { failure } from '../errors.ts'
import type { Migration, MigrationList } from '../ports/database.ts'
import { statement } from './statement.ts'
import { tables } from './tables.ts'
import { TENANT_ROLE } from './tenant.ts'

/** A migration as the database remembers it. */
export interface Applied {
  readonly plugin: string
  readonly n: number
  readonly name: string
  readonly checksum: string
}

interface Tables {
  amodal_migrations: {
    plugin: string
    n: number
    name: string
    checksum: string
    at: Generated<Date>
  }
}

const db = tables<Tables>()

/** The one table of versions: a row for each migration of each plugin. */
export const versionsTable = () =>
  db.schema
    .createTable('amodal_migrations')
    .ifNotExists()
    .addColumn('plugin', 'text', (column) => column.notNull())
    .addColumn('n', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('amodal_migrations_pkey', ['plugin', 'n'])

export const RECORD = statement(({ plugin, n, name, checksum }: Applied) =>
  db.insertInto('amodal_migrations').values({ plugin, n, name, checksum }),
)

/** What the catalogue says, read in one statement. */
export interface SchemaState {
  readonly applied: readonly Applied[]
  /** Tables that carry the tenant policy. */
  readonly secured: ReadonlySet<string>
  /** The tenant role is there, and this user may take it. */
  readonly role: boolean
}

export interface Pending extends Applied {
  readonly sql: string
  readonly tenantTables: readonly string[]
}

/** What is left to do, in plan order. */
export interface SchemaWork {
  readonly pending: readonly Pending[]
  /** Tenant tables without their policy. */
  readonly unsecured: readonly string[]
  readonly role: boolean
}

/** Of the text itself, whatever the line endings of the checkout. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex')
}

/** What a migration is recorded with, and compared by. Throws as {@link scriptOf}. */
const recordedWith = (migration: Migration): string =>
  'define' in migration && migration.checksum !== undefined
    ? migration.checksum
    : checksumOf(scriptOf(migration))

/**
 * The script that a migration runs.
 *
 * @throws TypeError where a definition has a parameter, which no script can take
 */
export function scriptOf(migration: Migration): string {
  if ('sql' in migration) return migration.sql
  return migration
    .define()
    .map((definition) => ('compile' in definition ? definition.compile() : definition))
    .map(({ sql, parameters }) => {
      if (parameters.length > 0)
        throw new TypeError(`a definition takes no parameter, but values as \`sql.lit\`: ${sql}`)
      return sql
    })
    .join(';\n')
}

/**
 * Compares the plugins' lists with the database. `MIGRATION_CHANGED` where a released migration was
 * edited, `MIGRATION_UNKNOWN` where the database was written by a newer release. Plugins that are
 * not in the plan are left alone.
 */
export function schemaWork(
  lists: readonly MigrationList[],
  state: SchemaState,
): Result<SchemaWork, Failure> {
  const pending: Pending[] = []
  for (const { plugin, migrations, tenantTables } of lists) {
    const applied = new Map(
      state.applied.filter((row) => row.plugin === plugin).map((row) => [row.n, row]),
    )
    const newest = Math.max(0, ...applied.keys())
    if (newest > migrations.length) {
      return err(
        failure(
          'MIGRATION_UNKNOWN',
          `the database holds migration ${newest} ("${applied.get(newest)?.name}") of ${plugin}, and this release knows ${migrations.length}`,
          { details: { plugin, known: migrations.length, found: newest } },
        ),
      )
    }
    for (const [at, migration] of migrations.entries()) {
      const there = applied.get(at + 1)
      const compared = compare(plugin, at + 1, migration, there)
      if (!compared.ok) return compared
      if (!there) pending.push({ ...compared.value, tenantTables })
    }
  }
  const tenantTables = lists.flatMap((list) => list.tenantTables)
  return ok({
    pending,
    unsecured: tenantTables.filter((table) => !state.secured.has(table)),
    role: tenantTables.length > 0 && !state.role,
  })
}

/** A migration with what it would run, where it was not applied yet. */
function compare(
  plugin: string,
  n: number,
  migration: Migration,
  there: Applied | undefined,
): Result<Omit<Pending, 'tenantTables'>, Failure> {
  const { name } = migration
  try {
    const checksum = recordedWith(migration)
    if (!there) return ok({ plugin, n, name, sql: scriptOf(migration), checksum })
    if (there.checksum === checksum) return ok({ plugin, n, name, sql: '', checksum })
    return err(
      failure(
        'MIGRATION_CHANGED',
        `migration ${n} ("${name}") of ${plugin} is not the one that was applied to this database`,
        { details: { plugin, n, applied: there.checksum, now: checksum } },
      ),
    )
  } catch (cause) {
    return err(
      failure(
        'STORE_FAILED',
        `migration ${n} ("${name}") of ${plugin} cannot be made: ${messageOf(cause)}`,
        { details: { plugin, n }, cause },
      ),
    )
  }
}

export const isDone = ({ pending, unsecured, role }: SchemaWork): boolean =>
  pending.length === 0 && unsecured.length === 0 && !role

/**
 * Whether this user may `set role` to the role in `pg_roles.oid`. Since Postgres 16 membership
 * alone does not say so.
 */
export const MAY_TAKE_ROLE = sql<boolean>`pg_has_role(current_user, oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)`

interface StateRow {
  readonly applied: readonly Applied[]
  readonly secured: readonly string[]
  readonly role: boolean
}

/** Reads {@link SchemaState}; fails with SQLSTATE 42P01 on a database that was never migrated. */
export const READ_STATE = statement(
  () => sql<StateRow>`
select
  (select coalesce(json_agg(json_build_object('plugin', plugin, 'n', n, 'name', name, 'checksum', checksum)), '[]') from amodal_migrations) applied,
  (select coalesce(json_agg(tablename), '[]') from pg_policies where schemaname = current_schema() and policyname = ${sql.lit(TENANT_ROLE)}) secured,
  coalesce((select ${MAY_TAKE_ROLE} from pg_roles where rolname = ${sql.lit(TENANT_ROLE)}), false) role`,
)

export const EMPTY_STATE: SchemaState = { applied: [], secured: new Set(), role: false }

export const stateOf = (row: StateRow | undefined): SchemaState =>
  row ? { ...row, secured: new Set(row.secured) } : EMPTY_STATE
