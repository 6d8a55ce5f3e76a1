import type { Database, Sealer, TenantId } from '@amodal/sdk'
import { tenantDatabase } from '@amodal/sdk/database'
import { InvocationStore } from './invocation-store.ts'
import { ToolStore } from './tool-store.ts'
import { VariableStore } from './variable-store.ts'
import { VersionStore } from './version-store.ts'

export type Stores = ReturnType<typeof storesOf>

/** All that is stored of one tenant. */
export function storesOf(database: Database, sealer: Sealer, tenant: TenantId) {
  const ofTenant = tenantDatabase(database, tenant)
  return {
    database: ofTenant,
    tools: new ToolStore(ofTenant),
    variables: new VariableStore({ tenant, sealer, database: ofTenant }),
    versions: new VersionStore(ofTenant),
    invocations: new InvocationStore(database, tenant),
  }
}
