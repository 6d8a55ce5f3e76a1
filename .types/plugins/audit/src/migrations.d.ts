import type { MigrationList } from '@amodal/sdk';
/** Lines are only ever added: the database itself refuses anything else, and the chain shows who got round that. */
export declare const MIGRATIONS: MigrationList;
