import { slot, type RouteHandler } from '@amodal/sdk'
import type { ResultHandler } from './delivery/deliverer.ts'

/** The automations of a running agent, for its command line and for tests. */
export interface Automations {
  /** `/automations`, for whoever may do all of it, whatever their roles. */
  readonly routes: RouteHandler
  /** `/webhooks`, as the server has it. */
  readonly webhooks: RouteHandler
  /** Looks at the clock now: due times that have come are kept as runs. */
  tick(): Promise<void>
}
export const Automations = slot.kernel<Automations>('automations')

/** Takes results of targets of `"type": "callback"` in this process. */
export interface AutomationResults {
  readonly handle: ResultHandler
}
export const AutomationResults = slot.kernel<AutomationResults>('automation-results')

export { automationsOf, type Automation } from './definition.ts'
export type { DeliveryPayload } from './payload.ts'
export type { ResultHandler } from './delivery/deliverer.ts'
export { automationOf } from './run-state.ts'
