import { type Failure, type Result } from '@amodal/kernel';
import type { MigrationList, Row } from '../ports/database.ts';
/** A migration as the database remembers it. */
export interface Applied {
    readonly plugin: string;
    readonly n: number;
    readonly name: string;
    readonly checksum: string;
}
/** What the catalogue says, read in one statement. */
export interface SchemaState {
    readonly applied: readonly Applied[];
    /** Tables that carry the tenant policy. */
    readonly secured: ReadonlySet<string>;
    /** The tenant role is there, and this user may take it. */
    readonly role: boolean;
}
export interface Pending extends Applied {
    readonly sql: string;
    readonly tenantTables: readonly string[];
}
/** What is left to do, in plan order. */
export interface SchemaWork {
    readonly pending: readonly Pending[];
    /** Tenant tables without their policy. */
    readonly unsecured: readonly string[];
    readonly role: boolean;
}
/** Of the text itself, whatever the line endings of the checkout. */
export declare function checksumOf(sql: string): string;
/**
 * Compares the plugins' lists with the database. `MIGRATION_CHANGED` where a released migration was edited,
 * `MIGRATION_UNKNOWN` where the database was written by a newer release. Plugins that are not in the plan are left alone.
 */
export declare function schemaWork(lists: readonly MigrationList[], state: SchemaState): Result<SchemaWork, Failure>;
export declare const isDone: ({ pending, unsecured, role }: SchemaWork) => boolean;
/** Whether this user may `set role` to the role in `pg_roles.oid`. Since Postgres 16 membership alone does not say so. */
export declare const MAY_TAKE_ROLE = "pg_has_role(current_user, oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)";
/** Reads {@link SchemaState}; fails with SQLSTATE 42P01 on a database that was never migrated. */
export declare const READ_STATE = "\nselect\n  (select coalesce(json_agg(json_build_object('plugin', plugin, 'n', n, 'name', name, 'checksum', checksum)), '[]') from amodal_migrations) applied,\n  (select coalesce(json_agg(tablename), '[]') from pg_policies where schemaname = current_schema() and policyname = 'amodal_tenant') secured,\n  coalesce((select pg_has_role(current_user, oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end) from pg_roles where rolname = 'amodal_tenant'), false) role";
export declare const EMPTY_STATE: SchemaState;
/** A row of {@link READ_STATE}, whose shape the statement itself fixes. */
export declare function stateOf(row: Row | undefined): SchemaState;
