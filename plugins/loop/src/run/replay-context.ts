import {
  type AgentBundle,
  type AgentHooks,
  type Caller,
  type Generation,
  type SessionRef,
  type Lease,
  NO_USAGE,
  type SequencedEntry,
  type PrincipalId,
  type RunContext,
  type RunId,
  runId,
  type SessionId,
  sessionId,
  SYSTEM,
  type TenantId,
} from '@amodal/sdk'
import { boundOutbound, RunScope } from '@amodal/sdk/loop'

const OVER = AbortSignal.abort(new Error('this is a replay: the run is not driven here'))
/** A replay has no lease, so that no tap can act for the run. */
const NO_LEASE: Lease = { remainingMs: () => 0, margin: 0, signal: OVER }

interface Facts extends SessionRef, Caller {
  readonly run: RunId
  readonly signal?: AbortSignal
}

/** The context of taps outside of a run: without state, and unable to act. */
abstract class IdleContext implements RunContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  readonly roles: readonly string[]
  readonly messages = []
  readonly sessionState = {}
  readonly context = {}
  readonly redacted = []
  readonly bundle: AgentBundle
  readonly step = 0
  readonly usage = NO_USAGE
  readonly lease = NO_LEASE
  readonly outbound = boundOutbound(() => undefined, { lease: NO_LEASE, signal: OVER })
  readonly signal: AbortSignal
  readonly log: RunContext['log']
  readonly #scope: RunScope

  constructor(
    generation: Generation,
    bundle: AgentBundle,
    { tenant, session, run, principal, roles = [], signal = OVER }: Facts,
  ) {
    this.tenant = tenant
    this.session = session
    this.run = run
    this.principal = principal
    this.roles = roles
    this.signal = signal
    this.bundle = bundle
    this.log = generation.log
    this.#scope = new RunScope(generation, this)
  }

  get scope(): RunContext['scope'] {
    return this.#scope.scope
  }
  readonly progress = (): void => undefined

  close(): Promise<void> {
    return this.#scope.close()
  }
}

/** The context of a run whose entries are replayed. */
export class ReplayContext extends IdleContext {
  constructor(generation: Generation, bundle: AgentBundle, ref: SessionRef, entry: SequencedEntry) {
    super(generation, bundle, {
      ...ref,
      run: entry.run,
      principal: 'principal' in entry ? entry.principal : SYSTEM,
    })
  }
}

/** The context of the run that a caller's first message would begin, to preview its prompt. */
export class PreviewContext extends IdleContext {
  readonly hooks: AgentHooks

  constructor(
    generation: Generation,
    bundle: AgentBundle,
    hooks: AgentHooks,
    who: Caller,
    signal: AbortSignal,
  ) {
    super(generation, bundle, {
      ...who,
      session: sessionId('preview'),
      run: runId('preview'),
      signal,
    })
    this.hooks = hooks
  }
}
