import { registry, slot, type Failure, type Result, type SessionFacts } from '@amodal/kernel'

/**
 * One statement with positional parameters (`$1`), encoded alike on every database (`encodeValue`
 * of `@amodal/sdk/database`).
 */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /**
   * Statements that run before it, in the same round trip and the same transaction. Only the rows
   * of the last one come back.
   */
  readonly before?: readonly Statement[]
}
/**
 * `bigint` columns come as numbers, `jsonb` parsed, times as `Date`, `bytea` as `Uint8Array`,
 * arrays as arrays; everything else as text.
 */
export type Row = Readonly<Record<string, unknown>>

/**
 * The database of the whole process: for infrastructure (journal, queue, migrations).
 * Tenant data goes through {@link TenantDatabase}, which has no way to name another tenant.
 */
export interface Database {
  readonly dialect: 'pglite' | 'postgres'
  /**
   * `true` where this process alone can reach the data (an embedded folder under an
   * operating-system lock).
   */
  readonly exclusive: boolean
  /**
   * One statement, one round trip. `STORE_FAILED` with `details.sqlstate` where the server named
   * one, `details.connection: true` where the connection broke: then nothing is known about the
   * write.
   */
  run(statement: Statement, signal: AbortSignal): Promise<Result<readonly Row[], Failure>>
  /**
   * READ COMMITTED. `work` is retried after a conflict with another transaction (serialization
   * failure, deadlock), so it must have no effects except its statements. Rolled back if `work`
   * throws or returns an `Err`. `run` throws a `DatabaseError`, which becomes the failure.
   */
  transaction<T>(
    work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>>
  /**
   * Listens for NOTIFY on a channel and reconnects automatically. The returned function stops it.
   */
  listen(channel: string, listener: (payload: string) => void): () => void
  notify(channel: string, payload: string, signal: AbortSignal): Promise<Result<void, Failure>>
  /**
   * Rewrites these tables, so that no bytes of deleted rows stay in their files, or in other files
   * of the database that it can clear. Takes time in proportion to their size, and locks each of
   * them. A database without this method keeps such bytes until it reuses the space.
   */
  purge?(tables: readonly string[], signal: AbortSignal): Promise<Result<void, Failure>>
  /** Whether it answers now, for `/health`. */
  ready(): { readonly ready: boolean; readonly problem?: Failure }
}
export const Database = slot.kernel<Database>('database')

/** The same database seen by one tenant: row security lets no other row through. */
export interface TenantDatabase {
  run(statement: Statement, signal: AbortSignal): Promise<Result<readonly Row[], Failure>>
  transaction<T>(
    work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Result<T, Failure>>
}
export const TenantDatabase = slot.session<TenantDatabase>('tenant-database')

/** Facts a tenant database is made from. */
export type TenantFacts = Pick<SessionFacts, 'tenant'>

/**
 * One step of a schema: a script, or definitions of tables and indexes, in order, as the schema
 * builder of `tables` makes them (`@amodal/sdk/database`). Definitions are compiled when they are
 * needed.
 */
export type Migration =
  | { readonly name: string; readonly sql: string }
  | {
      readonly name: string
      readonly define: () => readonly (Statement | { compile(): Statement })[]
      /**
       * What the migration is recorded with in place of a hash of its text: for one that was a
       * script when it was released.
       */
      readonly checksum?: string
    }

/**
 * A plugin's own append-only list of migrations. Table names begin with the plugin's name (`-` as
 * `_`); every table has `tenant` as first column of its key and indexes. Each runs once, in a
 * transaction, in plan order under one advisory lock, before any `onBoot` of a plugin that needs
 * the database.
 */
export interface MigrationList {
  readonly plugin: string
  readonly migrations: readonly Migration[]
  /** Tables under row security (policy on `tenant`). */
  readonly tenantTables: readonly string[]
}
export const Migrations = registry<MigrationList>('migrations')

/**
 * While it has an entry, opening the database applies no migration: for commands that look at a
 * database as it is, copy it or replace it.
 */
export const MigrationHolds = registry<true>('migration-holds')
