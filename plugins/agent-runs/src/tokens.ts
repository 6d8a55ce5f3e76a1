import { registry, slot, type RouteHandler } from '@amodal/sdk'
import type { AgentProfile } from './profile.ts'

export type { AgentProfile } from './profile.ts'

/** The runs of a running agent, for its command line. */
export interface Runs {
  /** `/api/platform/v1/agents`. */
  readonly routes: RouteHandler
}
export const Runs = slot.kernel<Runs>('agent-runs')

/**
 * Profiles that other plugins bring, by their ids. They come before those of the agent's files and
 * behind those of the configuration of `agent-runs`.
 */
export const AgentProfiles = registry<AgentProfile>('agent-profiles')
