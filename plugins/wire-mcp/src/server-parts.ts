import {
  failure,
  type Agent,
  type AgentClient,
  type Caller,
  type Clock,
  type Failure,
  type JsonObject,
  type Generation,
  type Logger,
  type RequestLimiter,
  type Sealer,
} from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'
import type { McpContext, Protocol, Tool, ToolAnswer } from './protocol.ts'
import type { Settings } from './settings.ts'

/** What all connections share. */
export interface ServerParts {
  readonly agent: Agent
  readonly clock: Clock
  readonly generation: () => Generation
  readonly limiter: RequestLimiter | undefined
  readonly log: Logger
  readonly sealer: Sealer | undefined
  readonly settings: Settings
  /** The tools of this server itself: built with the first client, since their schemas are large. */
  readonly ownTools: () => readonly OwnTool[]
  /** The process is about to end: a connection that closes now stops nothing. */
  readonly isClosing: () => boolean
}

/** The client of a connection, or of one request. */
export interface McpClient {
  /** Who asks now: roles may change between two requests of a connection. */
  readonly caller: () => Caller
  readonly may: (scope: string) => boolean
  /** `request`: closing the response is the wish to stop (2026-07-28 over HTTP). */
  readonly stopsBy: 'notification' | 'request'
  /** Of the HTTP request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** One request of a client. */
export interface McpRequest {
  readonly parts: ServerParts
  readonly sdk: Protocol
  readonly caller: Caller
  readonly agent: AgentClient
  readonly from: McpClient
  readonly ctx: McpContext
  /** Revision 2026-07-28: what a person has to answer is part of a result. */
  readonly isModern: boolean
  /** The client can show a form. */
  readonly hasForms: boolean
}

/** A failure as clients may know it: of a defect only that there is one. */
export function shownFailure(error: Failure, log: Logger): Failure {
  if ((error.status ?? statusOf(error.code)) !== 500) return error
  const id = crypto.randomUUID()
  log.error('mcp.failed', { id, error })
  return failure('INTERNAL', `internal error: the server log has the details under ${id}`)
}

/** A tool of this server itself. */
export interface OwnTool {
  readonly name: string
  /** What a credential must be good for beside the connection. */
  readonly scope: 'chat' | 'sessions'
  readonly listed: Tool
  readonly call: (args: JsonObject, request: McpRequest) => Promise<ToolAnswer>
}
