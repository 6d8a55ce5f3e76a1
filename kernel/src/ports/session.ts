import type { DoneReason } from '../events.ts'
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { JsonObject, Usage } from '../messages.ts'
import { slot } from '../token.ts'
import type { RunLimitsRequest } from '../journal/entry.ts'

/** Who asks for a session and how; `session.open` may complete it. */
export interface OpenRequest { readonly fresh: boolean; readonly headers: Readonly<Record<string, string>>; readonly context: Readonly<Record<string, string>> }
export interface SessionDraft {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly principal: PrincipalId
  readonly title: string
  readonly meta: JsonObject
}

export interface RunRequest { readonly run: RunId; readonly text: string; readonly limits: RunLimitsRequest }
/** Returned by a `run.start` tap that refuses the run. */
export interface RunVerdict { readonly deny: true; readonly reason: DoneReason; readonly message: string }
export interface RunOutcome { readonly reason: DoneReason; readonly usage: Usage; readonly steps: number; readonly text: string }

/** Facts of the scope that services are made from: there is no tenant id in any method of theirs. */
export interface SessionFacts { readonly tenant: TenantId; readonly session: SessionId; readonly principal: PrincipalId }
export const SessionFacts = slot.session<SessionFacts>('session-facts')
export interface RunFacts { readonly run: RunId; readonly signal: AbortSignal }
export const RunFacts = slot.run<RunFacts>('run-facts')
