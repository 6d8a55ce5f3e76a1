import {
  ok,
  type JsonObject,
  type LanguageModel,
  type Message,
  type ModelCall,
  type ModelSource,
  type RunContext,
  type SendRequest,
  type StreamPart,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { listedKey } from '@amodal/plugin-compaction/tokens'
import { z } from 'zod'

/** Where the call stands in the state of its session. */
const STATE = 'wire-mcp'
const NO_TOKENS = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }

const DirectCall = z.object({
  call: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), jsonValue),
})
type DirectCall = z.output<typeof DirectCall>

/**
 * The message whose turn makes one call and nothing else: in a session of its own, through the same
 * guards, approvals and journal as a call that a model has chosen.
 */
export const directMessage = (tool: string, args: JsonObject, call: string): SendRequest => ({
  text: `Call of \`${tool}\` over MCP`,
  sessionState: { [STATE]: { call, tool, arguments: args }, [listedKey(tool)]: true },
})

/** In the turn of such a message no model is asked: it is known what it would say. */
export function standIn(
  source: ModelSource,
  { aside, messages }: ModelCall,
  { sessionState }: Pick<RunContext, 'sessionState'>,
): ModelSource | undefined {
  const kept = sessionState[STATE]
  if (kept === undefined || aside === true) return undefined
  const read = DirectCall.safeParse(kept)
  if (!read.success) return undefined
  const parts = partsFor(read.data, messages)
  return parts && { ...source, open: () => ok(saying(parts)) }
}

/** First the call, then the end; what is said in the session later is for the model. */
function partsFor(
  { call, tool, arguments: args }: DirectCall,
  messages: readonly Message[],
): readonly StreamPart[] | undefined {
  if (!messages.some(({ role }) => role === 'assistant'))
    return [
      {
        type: 'tool-call',
        toolCallId: call,
        toolName: tool,
        input: JSON.stringify(args),
      },
      finish('tool-calls'),
    ]
  const last = messages.at(-1)
  const isOutcome =
    last?.role === 'tool' &&
    last.content.some((part) => part.type === 'tool-result' && part.toolCallId === call)
  if (!isOutcome) return undefined
  return [
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: 'The call is over.' },
    { type: 'text-end', id: 'text' },
    finish('stop'),
  ]
}

const finish = (unified: 'tool-calls' | 'stop'): StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: { inputTokens: NO_TOKENS, outputTokens: { total: 0, text: 0, reasoning: 0 } },
})

const saying = (parts: readonly StreamPart[]): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'wire-mcp',
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
