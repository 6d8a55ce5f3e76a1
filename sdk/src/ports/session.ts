import type {
  DoneReason,
  JsonObject,
  PrincipalId,
  RunId,
  RunLimitsRequest,
  SessionId,
  TenantId,
} from '@amodal/kernel'

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
  readonly text: string
  readonly limits: RunLimitsRequest
}
/** Returned by a `run.start` tap that refuses the run. */
export interface RunVerdict {
  readonly deny: true
  readonly reason: DoneReason
  readonly message: string
}
