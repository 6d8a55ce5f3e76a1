import { type Failure, type Logger, type Result } from '@amodal/sdk';
import { type MigrationLists } from '@amodal/sdk/database';
/**
 * Makes the image from which new databases start with nothing left to migrate: the shipped one with these migrations
 * applied. It holds tables and no rows. A start whose plugins have other migrations by then does not use it.
 *
 * @param migrations the lists of the plugins: registry `Migrations`
 * @param file where to write it; beside the shipped one where it is not given
 * @returns its size in bytes; an `Err` where a migration failed or the file cannot be written
 * @example
 * const prepared = await prepareImage(kernel.current().registry(Migrations), log, signal)
 */
export declare function prepareImage(migrations: MigrationLists, log: Logger, signal: AbortSignal, file?: string): Promise<Result<number, Failure>>;
