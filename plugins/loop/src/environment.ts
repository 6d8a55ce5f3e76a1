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
import { askStore } from '@amodal/sdk/loop'
import type { CompileCache } from './compile.ts'
import type { RuntimeSettings } from './settings.ts'

/** What a turn holds on to; a reload waits for `release`. */
export interface Acquired {
  readonly generation: Generation
  readonly hooks: AgentHooks
  readonly bundle: AgentBundle
  readonly release: () => void
}

/** What the queue needs of the process around it. */
export interface LoopEnvironment {
  readonly owner: InstanceId
  readonly clock: Clock
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
  readonly log: Logger
  store(): SessionStore
  sealer(): Sealer | undefined
  /** The generation and bundle that a new turn takes. */
  acquire(roles?: readonly string[]): Acquired
  /** Exchanges before the newest that the model sees. */
  depth(): number
  /**
   * The wiring around is taken down: what begins now is for the next one, and maybe for another
   * loop.
   */
  closing(): boolean
  /** A session has something new for readers. */
  changed(ref: SessionRef): void
  /** A run of the session has ended, or waits for a person. */
  persisted(ref: SessionRef, principal: PrincipalId): void
  /** A run of the session is set aside, before it was known whose it is. */
  troubled(ref: SessionRef): void
}

/** Asks the session store, with a deadline. */
export type StoreRequest = <T>(
  work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
) => Promise<Result<T, Failure>>

export const storeRequests =
  (environment: Pick<LoopEnvironment, 'settings' | 'store'>): StoreRequest =>
  (work) =>
    askStore(environment.settings.storeMs, (signal) => work(environment.store(), signal))
