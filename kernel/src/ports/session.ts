import type { Code } from '../errors.ts'
import type { DoneReason } from '../events.ts'
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { SequencedEntry } from '../journal/entry.ts'
import type { Usage } from '../usage.ts'
import { slot } from '../token.ts'

/** The outcome of a run. */
export interface RunOutcome {
  readonly reason: DoneReason
  readonly usage: Usage
  readonly steps: number
  readonly text: string
  /** ms since the run began, by the wall clock; with the time it waited for people. */
  readonly ms: number
  readonly error?: { readonly code: Code; readonly message: string }
  /** Of this run as recorded in the journal, those of earlier owners included. */
  readonly entries: readonly SequencedEntry[]
}

/**
 * Facts of a session scope. Services take the tenant from here, not as an argument of their
 * methods.
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
