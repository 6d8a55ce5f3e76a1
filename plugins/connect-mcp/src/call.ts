import type { Failure, JsonObject, Lease, Result } from '@amodal/sdk'
import type {
  CallToolResult,
  Client,
  CreateMessageRequestParams,
  CreateMessageResult,
  InputResponses,
  Progress,
  RequestOptions,
  Root,
  Tool,
} from '@modelcontextprotocol/client'
import type { AskedParams } from './asked-params.ts'
import type { Elicitation, ElicitationAnswer } from './elicitation.ts'
import type { BeginSpan, RequestMeta, Subject } from './traced.ts'

export interface ToolCall {
  /** The same when the call is made again with the answer of a person. */
  readonly key: string
  readonly request: CallRequest
  readonly signal: AbortSignal
  /** Under which it is made; left out where it changes nothing. */
  readonly lease?: Lease
  /** Of a run that may be traced. */
  readonly beginSpan?: BeginSpan
  /** Deadline of the response, ms. */
  readonly timeoutMs: number
  readonly progress: (progress: Progress) => void
  /** A question as it may be shown; an error says why it may not be asked. */
  readonly read: (params: AskedParams) => Promise<Result<Elicitation, Failure>>
  /** The person's answer to this question, if there is one. */
  readonly answerTo: (elicitation: Elicitation) => ElicitationAnswer | undefined
  /** The model, where this server may use it. */
  readonly model?: LentModel
}

/** What is sent: a call of a tool, or another request whose answer is read as a result is. */
export type CallRequest =
  | { readonly kind: 'tool'; readonly tool: Tool; readonly args: JsonObject }
  | {
      readonly kind: 'other'
      readonly subject: Subject
      /** @param given joins its parameters */
      readonly send: (
        client: Client,
        given: Round & { readonly _meta?: RequestMeta },
        options: RequestOptions,
      ) => Promise<unknown>
      /** @param answer that is no question */
      readonly result: (answer: unknown) => CallToolResult
    }

/** What goes along with a request that is made again. */
export interface Round {
  readonly inputResponses?: InputResponses
  readonly requestState?: string
}

export interface LentModel {
  /** A person is asked first. */
  readonly asksFirst: boolean
  readonly sample: (params: CreateMessageRequestParams) => Promise<CreateMessageResult>
}

/** What a connection lends to its server beside answers of people. */
export interface Lending {
  readonly roots: readonly Root[]
  /** People are shown addresses that it wants them to open. */
  readonly urls: boolean
  readonly model: boolean
}

export type Called =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  /** The server needs a person before it can go on. */
  | {
      readonly kind: 'asks'
      readonly elicitation: Elicitation
      /** The call may be made again only once the person has accepted. */
      readonly isPrerequisite?: true
    }
