import { type Failure, type Result } from '@amodal/kernel';
import type { MigrationList, Row, Statement } from '../ports/database.ts';
import { type Pending } from './migrations.ts';
import type { Transaction } from './transaction.ts';
/** What migrations need of a driver. No deadline but the signal: building an index may take long. */
export interface MigrationTarget {
    run(statement: Statement, signal: AbortSignal): Promise<Result<readonly Row[], Failure>>;
    transaction<T>(work: (transaction: Transaction) => Promise<T>, signal: AbortSignal): Promise<Result<T, Failure>>;
}
/** Migrations applied by this call. */
export interface Migrated {
    readonly applied: readonly Pick<Pending, 'plugin' | 'n' | 'name'>[];
}
/**
 * Brings a database to what the plugins' lists say: each migration in a transaction of its own, in plan order,
 * under one advisory lock, the tenant policy of a new table in the same transaction. Where nothing is to do it
 * costs one select. Several processes may call it at once; each migration runs once.
 *
 * Errors: `MIGRATION_CHANGED`, `MIGRATION_UNKNOWN`, `DATABASE_UNAVAILABLE` where the user may not make the
 * tenant role, `STORE_FAILED` naming the plugin and the migration that the database refused.
 */
export declare function migrate(target: MigrationTarget, lists: readonly MigrationList[], signal: AbortSignal): Promise<Result<Migrated, Failure>>;
