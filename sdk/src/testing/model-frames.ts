/**
 * Turns an answer into the bytes of a protocol. Pure, and kept per reply: a hot script costs one
 * write.
 */

import { parseRequest } from './model-protocol.ts'
import type {
  Answer,
  FinishReason,
  ScriptedError,
  ScriptedToolCall,
  ScriptedUsage,
} from './model-reply.ts'
import type { FrameContext, Frames, ModelProtocol } from './protocols/protocol.ts'

/**
 * Stands in for the nonce in frames that are kept: DEL, a character that no script has a use for.
 */
const placeholder = '\x7f'

/** @returns the frame `data: <payload>` with its blank line. */
export function frame(payload: string): string {
  return `data: ${payload}\n\n`
}

/** Chat completions. */
export const chatCompletions: ModelProtocol = {
  name: 'chat completions',
  path: /^\/v1\/chat\/completions$/,
  read: (body) => {
    const parsed = parseRequest(body)
    return parsed.ok ? { ...parsed, streaming: parsed.request.stream === true } : parsed
  },
  stream: streamFrames,
  body: completionBody,
  refusal: (error) => errorBody(error),
  failure: (error) => frame(JSON.stringify(errorBody(error))),
  broken: frame('{"id":"chatcmpl-broken","choices":[{"index":0,"delta":{"content":"'),
}

function errorBody(error: ScriptedError): object {
  return {
    error: {
      message: error.message,
      type: error.type ?? 'server_error',
      param: null,
      code: error.code ?? null,
    },
  }
}

/** The stream of an answer, from its first chunk to `[DONE]`. */
export function streamFrames(answer: Answer, context: FrameContext): Frames {
  const head = {
    id: `chatcmpl-${context.nonce}`,
    object: 'chat.completion.chunk',
    created: context.created,
    model: context.model,
  }
  const chunk = (delta: object, finish: FinishReason | null = null): string =>
    frame(
      JSON.stringify({
        ...head,
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      }),
    )

  const usage = { ...head, choices: [], usage: usageOf(answer) }
  return {
    prologue:
      chunk({ role: 'assistant', content: '' }) +
      (answer.thought ? chunk({ reasoning_content: answer.thought.text }) : ''),
    deltas: [
      ...answer.chunks.map((content) => chunk({ content })),
      ...answer.toolCalls.flatMap((call, index) =>
        toolCallDeltas(call, index, context.nonce).map((delta) => chunk({ tool_calls: [delta] })),
      ),
    ],
    epilogue:
      chunk({}, finishReasonOf(answer)) +
      (context.includeUsage ? frame(JSON.stringify(usage)) : '') +
      frame('[DONE]'),
  }
}

/** The body of an answer that is not streamed. */
export function completionBody(answer: Answer, context: FrameContext): string {
  const calls = answer.toolCalls.map((call, index) => ({
    id: call.id ?? callId(context.nonce, index),
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }))
  const text = answer.chunks.join('')
  return JSON.stringify({
    id: `chatcmpl-${context.nonce}`,
    object: 'chat.completion',
    created: context.created,
    model: context.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          ...(answer.thought ? { reasoning_content: answer.thought.text } : {}),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        logprobs: null,
        finish_reason: finishReasonOf(answer),
      },
    ],
    usage: usageOf(answer),
  })
}

/**
 * Serialises each reply once per model name and usage flag. Only the nonce differs between two
 * uses of one reply, and replacing it in a finished string costs next to nothing.
 */
export class FrameCache {
  readonly #byAnswer = new WeakMap<Answer, Map<string, string>>()

  /** The whole stream as one string. */
  stream(answer: Answer, context: FrameContext, protocol: ModelProtocol): string {
    // Binary frames have a checksum, which the nonce is part of.
    if (protocol.binary) return wholeStream(protocol.stream(answer, context))
    const key = `${protocol.name} ${context.includeUsage ? 'usage' : 'plain'} ${context.model}`
    const streams = this.#byAnswer.get(answer) ?? new Map<string, string>()
    this.#byAnswer.set(answer, streams)
    const text =
      streams.get(key) ?? wholeStream(protocol.stream(answer, { ...context, nonce: placeholder }))
    streams.set(key, text)
    return text.replaceAll(placeholder, context.nonce)
  }
}

function wholeStream({ prologue, deltas, epilogue }: Frames): string {
  return prologue + deltas.join('') + epilogue
}

function toolCallDeltas(call: ScriptedToolCall, index: number, nonce: string): readonly object[] {
  const opening = {
    index,
    id: call.id ?? callId(nonce, index),
    type: 'function',
    function: { name: call.name, arguments: '' },
  }
  const pieces = argumentPieces(call)
  return [opening, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))]
}

export function callId(nonce: string, index: number): string {
  return `call_${nonce}_${index}`
}

export function argumentsText(call: ScriptedToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
}

/** The arguments as they are sent, in as many pieces as the script asks for. */
export function argumentPieces(call: ScriptedToolCall): readonly string[] {
  return cut(argumentsText(call), call.pieces ?? 2)
}

function cut(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  )
}

export function finishReasonOf(answer: Answer): FinishReason {
  return answer.finishReason ?? (answer.toolCalls.length > 0 ? 'tool_calls' : 'stop')
}

export function scriptedUsage(answer: Answer): ScriptedUsage {
  return {
    promptTokens: 100,
    completionTokens: answer.chunks.length + answer.toolCalls.length,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    ...answer.usage,
  }
}

function usageOf(answer: Answer): object {
  const usage = scriptedUsage(answer)
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    ...(usage.reasoningTokens > 0
      ? { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }
      : {}),
  }
}
