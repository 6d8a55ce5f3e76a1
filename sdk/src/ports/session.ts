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
  /** The session whose run sends the message, as a task of a sub-agent. */
  readonly parent?: SessionId
  readonly headers: Readonly<Record<string, string>>
  readonly context: Readonly<Record<string, string>>
}
export interface SessionDraft {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly principal: PrincipalId
  readonly title: string
  readonly meta: JsonObject
  /**
   * The W3C `traceparent` that the run of this message belongs to; stored with the message, so that
   * another process that resumes the run knows it.
   */
  readonly trace?: string
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
