import type { MigrationList } from '@amodal/sdk';
/** Counts, and no data of a tenant. */
export declare const MIGRATIONS: MigrationList;
