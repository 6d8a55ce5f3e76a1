import { sql } from 'kysely'
import { statementOf } from './statement.ts'

/*
 * Statements that take no parameters, only names: these are quoted as identifiers.
 */

/** The statement that starts or stops listening on a channel. */
export const listenText = (verb: 'listen' | 'unlisten', channel: string): string =>
  verb === 'listen'
    ? statementOf(sql`listen ${sql.id(channel)}`).sql
    : statementOf(sql`unlisten ${sql.id(channel)}`).sql

/** Rewrites a table, so that its files contain nothing of deleted rows. */
export const rewriteText = (...table: readonly string[]): string =>
  statementOf(sql`vacuum (full, analyze) ${sql.id(...table)}`).sql

/** Cleans a table up, and counts its rows anew. */
export const vacuumText = (...table: readonly string[]): string =>
  statementOf(sql`vacuum (analyze) ${sql.id(...table)}`).sql
