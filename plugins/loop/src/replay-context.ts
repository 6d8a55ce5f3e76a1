import {
  type AgentBundle, type Generation, type LaneRef, type Lease, NO_USAGE, type Placed, type PrincipalId, type RunContext,
  type RunId, RunScope, type SessionId, SYSTEM, type TenantId,
} from '@amodal/sdk'

const OVER = AbortSignal.abort(new Error('this is a replay: the run is not driven here'))
/** Nothing may be done for a run that is only told of again. */
const NO_LEASE: Lease = { left: () => 0, margin: 0, signal: OVER }

/** What a tap may know of a run whose entries are told again: nothing of its state, and no way to act. */
export class ReplayContext implements RunContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  readonly roles: readonly string[] = []
  readonly messages = []
  readonly sessionState = {}
  readonly context = {}
  readonly withheld = []
  readonly bundle: AgentBundle
  readonly step = 0
  readonly usage = NO_USAGE
  readonly lease = NO_LEASE
  readonly signal = OVER
  readonly log: RunContext['log']
  readonly #scope: RunScope

  constructor(generation: Generation, bundle: AgentBundle, { tenant, session }: LaneRef, entry: Placed) {
    this.tenant = tenant
    this.session = session
    this.run = entry.run
    this.principal = 'principal' in entry ? entry.principal : SYSTEM
    this.bundle = bundle
    this.log = generation.log
    this.#scope = new RunScope(generation, this)
  }

  get scope(): RunContext['scope'] { return this.#scope.scope }
  readonly progress = (): void => undefined
}
