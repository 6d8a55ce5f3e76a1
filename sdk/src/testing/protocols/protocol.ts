import type { IncomingHttpHeaders } from 'node:http'
import type { ChatCompletionRequest } from '../model-protocol.ts'
import type { Answer, ScriptedError } from '../model-reply.ts'

export type ReadRequest =
  | { readonly ok: true; readonly request: ChatCompletionRequest; readonly streaming: boolean }
  | { readonly ok: false; readonly problem: string }

export interface FrameContext {
  readonly model: string
  /** Distinguishes this response from all others; becomes part of its ids. */
  readonly nonce: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly includeUsage: boolean
}

/** A stream in three parts, each already in the form of the protocol. */
export interface Frames {
  readonly prologue: string
  readonly deltas: readonly string[]
  readonly epilogue: string
}

/** What a model server has to know of a protocol. */
export interface ModelProtocol {
  readonly name: string
  /** Of the URL, without its query. */
  readonly path: RegExp
  /** Of a stream that is none of server-sent events; each character of its frames is a byte. */
  readonly binary?: { readonly contentType: string }
  /** The request as a chat completion, or what a strict endpoint would refuse it for. */
  read(
    body: string,
    request: { readonly path: string; readonly headers: IncomingHttpHeaders },
  ): ReadRequest
  stream(answer: Answer, context: FrameContext): Frames
  /** The body of an answer that is not streamed. */
  body(answer: Answer, context: FrameContext): string
  /** The body of an answer that refuses. */
  refusal(error: ScriptedError, status: number): object
  /** An error in the middle of a stream. */
  failure(error: ScriptedError): string
  /** An event that breaks off. */
  readonly broken: string
}
