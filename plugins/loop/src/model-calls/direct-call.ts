import {
  ok,
  type JsonObject,
  type LanguageModel,
  type Message,
  type ModelCall,
  type ModelSource,
  type RunContext,
  type StreamPart,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

const NO_TOKENS = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }

const DirectCall = z.object({
  call: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), jsonValue),
})
/** A tool call that a person or a program has chosen instead of a model. */
export interface DirectCall {
  /** The id of the call. */
  readonly call: string
  readonly tool: string
  readonly arguments: JsonObject
}

/**
 * The state of a session whose first turn makes exactly one call, through the same guards,
 * approvals and journal as a call of the model. The plugin that opens such sessions taps
 * `model.open` with {@link standIn}.
 *
 * @param plugin the key of the state: the name of the plugin
 * @example
 * const sessionState = directCall('mine', { call: newKey(), tool: 'request', arguments: {} })
 * await client.send({ text: 'A call', sessionState })
 */
export const directCall = (plugin: string, call: DirectCall): JsonObject => ({
  [plugin]: { call: call.call, tool: call.tool, arguments: call.arguments },
})

/**
 * Replaces the model in the turn of a direct call with one that replies with that call.
 *
 * @param plugin the same as that of {@link directCall}
 * @returns `undefined` where the call is for the model
 * @example
 * hooks.model.open.tap((source, call, run) => standIn('mine', source, call, run))
 */
export function standIn(
  plugin: string,
  source: ModelSource,
  { aside, messages }: ModelCall,
  { sessionState }: Pick<RunContext, 'sessionState'>,
): ModelSource | undefined {
  const stored = sessionState[plugin]
  if (stored === undefined || aside === true) return undefined
  const read = DirectCall.safeParse(stored)
  if (!read.success) return undefined
  const parts = partsFor(read.data, messages)
  return parts && { ...source, open: () => ok(streaming(plugin, parts)) }
}

/** First the call, then the end of the turn; later messages of the session go to the model. */
function partsFor(
  direct: z.output<typeof DirectCall>,
  messages: readonly Message[],
): readonly StreamPart[] | undefined {
  if (!messages.some(({ role }) => role === 'assistant')) return partsOfCall(direct)
  const last = messages.at(-1)
  const isOutcome =
    last?.role === 'tool' &&
    last.content.some((part) => part.type === 'tool-result' && part.toolCallId === direct.call)
  return isOutcome ? partsOfText('The call is over.') : undefined
}

/**
 * Replaces the model in a call with one that replies with a tool call, or with a text.
 *
 * @param provider the name under which the reply is journaled
 * @example
 * hooks.model.open.tap((source) => replyingWith(source, 'mine', 'It is done.'))
 */
export const replyingWith = (
  source: ModelSource,
  provider: string,
  reply: DirectCall | string,
): ModelSource => ({
  ...source,
  open: () =>
    ok(streaming(provider, typeof reply === 'string' ? partsOfText(reply) : partsOfCall(reply))),
})

const partsOfCall = ({ call, tool, arguments: args }: DirectCall): readonly StreamPart[] => [
  { type: 'tool-call', toolCallId: call, toolName: tool, input: JSON.stringify(args) },
  finish('tool-calls'),
]

const partsOfText = (delta: string): readonly StreamPart[] => [
  { type: 'text-start', id: 'text' },
  { type: 'text-delta', id: 'text', delta },
  { type: 'text-end', id: 'text' },
  finish('stop'),
]

const finish = (unified: 'tool-calls' | 'stop'): StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: { inputTokens: NO_TOKENS, outputTokens: { total: 0, text: 0, reasoning: 0 } },
})

const streaming = (provider: string, parts: readonly StreamPart[]): LanguageModel => ({
  specificationVersion: 'v4',
  provider,
  modelId: 'direct-call',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new TypeError('a turn is streamed')),
  doStream: () =>
    Promise.resolve({
      stream: new ReadableStream<StreamPart>({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      }),
    }),
})
