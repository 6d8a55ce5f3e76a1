import { slot, type Failure, type JsonObject, type Result, type RouteHandler } from '@amodal/sdk'
import type { StoredRun } from './run-usage.ts'

export type { CallSums, StoredRun } from './run-usage.ts'

/** The usage of a running agent, for its command line. */
export interface Usage {
  /** `/api/usage`. */
  readonly routes: RouteHandler
  /**
   * A report over all tenants, as `GET /api/usage` answers with it.
   *
   * @param parameters those of the route; `group` may be `tenant`
   */
  readonly ofAllTenants: (
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<Result<JsonObject, Failure>>
  /** Adds runs that were counted elsewhere, such as by an earlier system. One that is in stays. */
  readonly add: (runs: readonly StoredRun[], signal: AbortSignal) => Promise<Result<void, Failure>>
  /** Compares the journal with the rows now, and removes rows whose time is over. */
  readonly sweep: () => Promise<void>
}
export const Usage = slot.kernel<Usage>('usage')
