import type { MigrationList } from '@amodal/sdk';
/** Not under the tenant role: who asks is found out before it is known whose data that is about. */
export declare const MIGRATIONS: MigrationList;
