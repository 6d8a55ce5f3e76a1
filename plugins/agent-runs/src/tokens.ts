import { registry } from '@amodal/sdk'
import type { AgentProfile } from './profile.ts'

export type { AgentProfile } from './profile.ts'

/**
 * Profiles that other plugins bring, by their ids. They come before those of the agent's files and
 * behind those of the configuration of `agent-runs`.
 */
export const AgentProfiles = registry<AgentProfile>('agent-profiles')
