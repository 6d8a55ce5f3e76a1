import type { MigrationList } from '@amodal/sdk';
/** `owner` is a principal, or empty where the notes are the whole tenant's. */
export declare const MIGRATIONS: MigrationList;
