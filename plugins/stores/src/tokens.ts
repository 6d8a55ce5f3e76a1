// What other plugins may see of this one.
import { slot, type Caller, type RouteHandler, type StoreDefinition } from '@amodal/sdk'

/** Documents for other plugins that show them, with the rights of the principal who reads. */
export interface StoreAccess {
  /** `/api/stores`, as the server has it: rights and tenant are those of the request's caller. */
  readonly routes: RouteHandler
  /** The stores that a caller may read. */
  readableBy(caller: Caller): readonly StoreDefinition[]
}

/** Filled by the plugin `stores`. */
export const StoreAccess = slot.kernel<StoreAccess>('store-access')
