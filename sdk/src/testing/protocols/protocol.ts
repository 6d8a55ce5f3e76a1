import type { IncomingHttpHeaders } from 'node:http'
import type { FrameContext, Frames } from '../model-frames.ts'
import type { ChatCompletionRequest } from '../model-protocol.ts'
import type { Answer, ScriptedError } from '../model-reply.ts'

export type ReadRequest =
  | { readonly ok: true; readonly request: ChatCompletionRequest; readonly streaming: boolean }
  | { readonly ok: false; readonly problem: string }

/** What a model server has to know of a protocol. */
export interface ModelProtocol {
  readonly name: string
  /** Of the URL, without its query. */
  readonly path: RegExp
  /** The request as a chat completion, or what a strict endpoint would refuse it for. */
  read(
    body: string,
    asked: { readonly path: string; readonly headers: IncomingHttpHeaders },
  ): ReadRequest
  stream(answer: Answer, context: FrameContext): Frames
  /** The body of an answer that is not streamed. */
  whole(answer: Answer, context: FrameContext): string
  /** The body of an answer that refuses. */
  refusal(error: ScriptedError, status: number): object
  /** An error in the middle of a stream. */
  failure(error: ScriptedError): string
  /** An event that breaks off. */
  readonly broken: string
}
