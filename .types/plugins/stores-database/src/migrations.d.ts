import type { MigrationList } from '@amodal/sdk';
/** `tenant` has a default, so that a row always belongs to whoever writes it. */
export declare const MIGRATIONS: MigrationList;
