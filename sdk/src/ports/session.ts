import type {
  AssetRef,
  DoneReason,
  JsonObject,
  PrincipalId,
  RunId,
  SessionId,
  TenantId,
} from '@amodal/kernel'
import type { RunLimitsRequest } from './inbox.ts'

/** Who asks for a session and how; `session.open` may complete it. */
export interface OpenRequest {
  readonly fresh: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly context: Readonly<Record<string, string>>
}
export interface SessionDraft {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly principal: PrincipalId
  readonly title: string
  readonly meta: JsonObject
}

export interface RunRequest {
  readonly run: RunId
  /** Of the message that begins it. */
  readonly key: string
  readonly text: string
  /** Files that go with it: what they are, and how they are called. */
  readonly assets?: readonly AssetRef[]
  readonly limits: RunLimitsRequest
}
/** Returned by a `run.start` tap that refuses the run. */
export interface RunVerdict {
  readonly deny: true
  readonly reason: DoneReason
  readonly message: string
}
