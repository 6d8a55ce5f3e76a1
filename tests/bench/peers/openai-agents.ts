/**
 * The OpenAI Agents SDK: `run` with a model of the chat completions API, and a `MemorySession` for
 * each session. The SDK comes with no session that writes to a database, and traces nothing here.
 */

import type { z } from 'zod'

import { benchTool } from '../vocabulary.ts'
import { peerOptions, servePeer } from './serve.ts'

interface AgentsModule {
  readonly Agent: new (options: {
    readonly name: string
    readonly instructions: string
    readonly model: object
    readonly tools: readonly object[]
  }) => object
  readonly MemorySession: new (options: { readonly sessionId: string }) => object
  readonly OpenAIChatCompletionsModel: new (client: object, model: string) => object
  tool(options: {
    readonly name: string
    readonly description: string
    readonly parameters: z.ZodType
    readonly execute: () => Promise<object>
  }): object
  run(
    agent: object,
    message: string,
    options: { readonly stream: true; readonly session: object; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<StreamEvent> & { readonly completed: Promise<void> }>
  setTracingDisabled(disabled: boolean): void
}

/** The events of a run that a chat shows; there are others. */
type StreamEvent =
  | {
      readonly type: 'raw_model_stream_event'
      readonly data: { readonly type: string; readonly delta?: string }
    }
  | {
      readonly type: 'run_item_stream_event'
      readonly name: string
      readonly item: {
        readonly rawItem: {
          readonly callId?: string
          readonly name?: string
          readonly arguments?: string
        }
        readonly output?: unknown
      }
    }

interface OpenAIModule {
  readonly default: new (options: { readonly baseURL: string; readonly apiKey: string }) => object
}

const { port, modelUrl, load } = await peerOptions()
const agents = (await load('@openai/agents')) as AgentsModule
const { default: OpenAI } = (await load('openai')) as OpenAIModule
const { z: schema } = (await load('zod')) as { z: typeof z }

agents.setTracingDisabled(true)
const agent = new agents.Agent({
  name: 'bench',
  instructions: 'You are a helpful assistant.',
  model: new agents.OpenAIChatCompletionsModel(
    new OpenAI({ baseURL: modelUrl, apiKey: 'bench' }),
    'bench',
  ),
  tools: [
    agents.tool({
      name: benchTool.name,
      description: benchTool.description,
      parameters: schema.object({ key: schema.string() }),
      execute: async () => benchTool.result,
    }),
  ],
})
const sessions = new Map<string, object>()

servePeer(port, async (turn) => {
  const session =
    sessions.get(turn.session) ?? new agents.MemorySession({ sessionId: turn.session })
  sessions.set(turn.session, session)
  const stream = await agents.run(agent, turn.message, {
    stream: true,
    session,
    signal: turn.signal,
  })
  for await (const event of stream) {
    if (event.type === 'raw_model_stream_event') {
      if (event.data.type === 'output_text_delta') await turn.text(event.data.delta ?? '')
    } else if (event.type === 'run_item_stream_event') {
      const { rawItem, output } = event.item
      if (event.name === 'tool_called')
        await turn.toolCall(rawItem.callId ?? '', rawItem.name ?? '', rawItem.arguments)
      else if (event.name === 'tool_output') await turn.toolResult(rawItem.callId ?? '', output)
    }
  }
  await stream.completed
})
