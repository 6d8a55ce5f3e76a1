/**
 * The query builder of plugins with tables; and what database plugins share, and what tests ask of
 * a schema: values, statements, failures, tenants, migrations.
 */
export { encodeAll, encodeValue, decodeRow, shapeOf, type Shape } from './values.ts'
export { PreparedStatements, type Prepared, type Use } from './prepared.ts'
export { isConflict, retryConflicts } from './conflicts.ts'
export {
  connectionBroke,
  DatabaseError,
  notStarted,
  refusedData,
  sqlstateOf,
  staleStatement,
  statementFailure,
  until,
  workFailure,
} from './failures.ts'
export { Batches, type BatchOptions } from './batches.ts'
export { checkupRows, hasTable } from './checkup-rows.ts'
export { eraseContent, eraseCopies, type ErasureFigures } from './erase.ts'
export { assertLease, keyedWrite, writeInDoubt } from './keyed-write.ts'
export { TENANT_ROLE, tenantDatabase } from './tenant.ts'
export { MigrationHolds } from '../ports/database.ts'
export {
  checksumOf,
  schemaWork,
  scriptOf,
  versionsTable,
  type Applied,
  type Pending,
  type SchemaState,
  type SchemaWork,
} from './migrations.ts'
export {
  migrate,
  MIGRATION_LOCK,
  readSchemaState,
  type Migrated,
  type MigrationTarget,
} from './migrate.ts'
export { runTransaction, stepsOf, type Answer, type Line, type Transaction } from './transaction.ts'
export { sql } from 'kysely'
export type {
  Expression,
  ExpressionBuilder,
  Generated,
  Insertable,
  Kysely,
  RawBuilder,
  Selectable,
} from 'kysely'
export { tables } from './tables.ts'
export {
  runIn,
  runQuery,
  script,
  statement,
  statementOf,
  type Query,
  type RowOf,
  type TypedStatement,
} from './statement.ts'
export { listenText, rewriteText, vacuumText } from './utilities.ts'
export { migrationsToApply, Schema, type MigrationLists } from './schema.ts'
export { catalogueProblems } from './catalogue.ts'
export { PeriodicTask } from './periodic-task.ts'
