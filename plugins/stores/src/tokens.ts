// What other plugins may see of this one.
import {
  slot,
  type AgentBundle,
  type Caller,
  type Failure,
  type Result,
  type RouteHandler,
  type StoreBackend,
  type StoreDefinition,
  type TenantId,
} from '@amodal/sdk'

/** Documents for other plugins that show them, with the rights of the principal who reads. */
export interface StoreAccess {
  /** `/api/stores`, as the server has it: rights and tenant are those of the request's caller. */
  readonly routes: RouteHandler
  /** The stores that a caller may read. */
  readableBy(caller: Caller): readonly StoreDefinition[]
  /**
   * The stores that a tool call may read.
   *
   * @param bundle as the roles of the caller see it
   */
  readableIn(bundle: AgentBundle): readonly StoreDefinition[]
  /**
   * Does work on the documents of a store: those of a tenant, or of all tenants where the store is
   * shared, as the tools of stores do.
   */
  open<T>(
    store: StoreDefinition,
    tenant: TenantId,
    work: (backend: StoreBackend) => Promise<T>,
  ): Promise<Result<T, Failure>>
}

/** Filled by the plugin `stores`. */
export const StoreAccess = slot.kernel<StoreAccess>('store-access')
