import { type TenantId } from '@amodal/kernel';
import type { Database, TenantDatabase } from '../ports/database.ts';
/** The role that sees a tenant's rows and no others. Owns nothing, cannot log in. */
export declare const TENANT_ROLE = "amodal_tenant";
/** The setting that row security compares `tenant` with. */
export declare const TENANT_SETTING = "amodal.tenant";
/**
 * The database as one tenant sees it. Every statement enters the tenant's role for its own transaction, in the
 * same round trip, so that row security keeps every other row away whatever the SQL says.
 *
 * @param database the Database slot as it is wired, decorators included
 * @example
 * const acme = tenantDatabase(database, tenantId('acme'))
 * await acme.run({ sql: 'select * from notes', parameters: [] }, signal) // rows of acme only
 */
export declare function tenantDatabase(database: Database, tenant: TenantId): TenantDatabase;
