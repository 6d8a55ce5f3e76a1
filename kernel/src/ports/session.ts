import type { Code } from '../errors.ts'
import type { DoneReason } from '../events.ts'
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { Usage } from '../usage.ts'
import { slot } from '../token.ts'

/** What a run came to. */
export interface RunOutcome {
  readonly reason: DoneReason
  readonly usage: Usage
  readonly steps: number
  readonly text: string
  /** Since the run began, without the time it waited for people. */
  readonly ms: number
  readonly error?: { readonly code: Code; readonly message: string }
}

/**
 * Facts of the scope that services are made from: there is no tenant id in any method of theirs.
 */
export interface SessionFacts {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly principal: PrincipalId
}
export const SessionFacts = slot.session<SessionFacts>('session-facts')
export interface RunFacts {
  readonly run: RunId
  readonly signal: AbortSignal
}
export const RunFacts = slot.run<RunFacts>('run-facts')
