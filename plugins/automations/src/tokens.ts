import { registry, slot, type AgentBundle, type RouteHandler } from '@amodal/sdk'
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

/** A tool that runs on a schedule, without a model. */
export interface ScheduledTool {
  readonly tool: string
  readonly cron: string
  /** Where it is defined, relative to the agent's folder. */
  readonly file: string
}

/**
 * Tools of the agent's files that run on a schedule: each is an automation `tool_<name>`, and
 * whoever adds it puts the call in place of the model.
 *
 * @example
 * const sweep = { tool: 'sweep', cron: '0 6 * * *', file: 'tools/sweep/tool.json' }
 * add(ScheduledTools, 'mine', () => [sweep])
 */
export const ScheduledTools =
  registry<(bundle: AgentBundle) => readonly ScheduledTool[]>('scheduled-tools')

export { parseSchedule } from './schedule.ts'
export { automationsOf, type Automation } from './definition.ts'
export type { DeliveryPayload } from './payload.ts'
export type { ResultHandler } from './delivery/deliverer.ts'
export { automationOf } from './run-state.ts'
