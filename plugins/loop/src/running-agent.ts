import type {
  AgentBundle,
  AgentHooks,
  Audience,
  Failure,
  Generation,
  InstanceId,
  RuntimeEvent,
} from '@amodal/sdk'
import type { ReaderParts } from './streams/reader.ts'
import type { RuntimeSettings } from './settings.ts'
import type { OwnedSessions } from './leases/owned-sessions.ts'

/** The agent over all generations, as the sessions of one caller need it. */
export interface RunningAgent extends ReaderParts {
  readonly settings: RuntimeSettings
  readonly owner: InstanceId
  readonly ownedSessions: OwnedSessions
  /** The agent's name. */
  readonly app: string
  /** Why it accepts no requests now. */
  readonly unavailable: Failure | undefined
  generation(): Generation
  /** The files in use. */
  bundle(): AgentBundle | undefined
  hooks(): AgentHooks
  /** Announces a change to the watchers of the server. */
  announce(event: RuntimeEvent, audience: Audience): void
}
