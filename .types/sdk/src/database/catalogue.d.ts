import { type Failure, type Result } from '@amodal/kernel';
import type { Database, MigrationList } from '../ports/database.ts';
/**
 * Checks a migrated database against the rules of {@link MigrationList}: every table carries its plugin's name,
 * has a key, and leads its key and every index with `tenant`; every tenant table is under row security.
 *
 * @param allowed names of tables or indexes that may break the leading-`tenant` rule, each with the reason
 * @returns a sentence for each violation
 * @example
 * expect(await catalogueProblems(database, lists, { sessions_leases: 'taken over across tenants' }, signal)).toEqual({ ok: true, value: [] })
 */
export declare function catalogueProblems(database: Pick<Database, 'run'>, lists: readonly MigrationList[], allowed: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Result<readonly string[], Failure>>;
