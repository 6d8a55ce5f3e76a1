import type {
  AgentBundle,
  AgentHooks,
  Clock,
  Failure,
  Generation,
  InstanceId,
  SessionRef,
  Logger,
  PrincipalId,
  Result,
  Sealer,
  SessionStore,
} from '@amodal/sdk'
import { callStore } from '@amodal/sdk/loop'
import type { CompileCache } from '../tool-calls/compile.ts'
import type { RuntimeSettings } from '../settings.ts'

/** The generation and the files that a turn holds; a reload waits for `release`. */
export interface TurnResources {
  readonly generation: Generation
  readonly hooks: AgentHooks
  readonly bundle: AgentBundle
  readonly release: () => void
}

/** The services that owned sessions use. */
export interface LoopEnvironment {
  readonly owner: InstanceId
  readonly clock: Clock
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
  readonly log: Logger
  store(): SessionStore
  sealer(): Sealer | undefined
  /** The generation and the files for a new turn: those that are current now. */
  acquireResources(): TurnResources
  /** The number of exchanges before the newest that the model sees. */
  depth(): number
  /**
   * Whether this generation is closing: new work is left to the next one, which may have another
   * loop.
   */
  closing(): boolean
  /** Called when a session has changed for readers. */
  changed(ref: SessionRef): void
  /** Called when a run of the session has ended or parked. */
  runEndedOrParked(ref: SessionRef, principal: PrincipalId): void
  /** Called when a session is set aside; the principal has to be read from its row. */
  troubled(ref: SessionRef): void
}

/** Calls the session store, with a deadline. */
export type StoreCall = <T>(
  work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
) => Promise<Result<T, Failure>>

export const storeCalls =
  (environment: Pick<LoopEnvironment, 'settings' | 'store'>): StoreCall =>
  (work) =>
    callStore(environment.settings.storeMs, (signal) => work(environment.store(), signal))
