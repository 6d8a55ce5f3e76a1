import type { MigrationList } from '@amodal/sdk';
/** Not under the tenant role: a plugin reaches sessions through the SessionStore slot, never by SQL of its own. */
export declare const MIGRATIONS: MigrationList;
