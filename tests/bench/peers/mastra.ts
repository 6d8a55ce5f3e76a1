/**
 * Mastra: an `Agent` with `Memory` on Postgres, registered at a `Mastra` instance whose storage it
 * uses. All options of the memory are the defaults: the model sees the newest messages of a thread.
 */

import type { z } from 'zod'

import { benchTool } from '../vocabulary.ts'
import { peerOptions, servePeer } from './serve.ts'

interface AgentModule {
  readonly Agent: new (options: {
    readonly id: string
    readonly name: string
    readonly instructions: string
    readonly model: { readonly id: string; readonly url: string; readonly apiKey: string }
    readonly tools: Readonly<Record<string, object>>
    readonly memory: object
  }) => object
}

interface ToolsModule {
  createTool(options: {
    readonly id: string
    readonly description: string
    readonly inputSchema: z.ZodType
    readonly execute: () => Promise<object>
  }): object
}

interface MastraModule {
  readonly Mastra: new (options: {
    readonly agents: Readonly<Record<string, object>>
    readonly storage: object
  }) => { getAgent(name: string): MastraAgent }
}

interface MastraAgent {
  stream(
    message: string,
    options: {
      readonly memory: { readonly thread: string; readonly resource: string }
      readonly abortSignal: AbortSignal
    },
  ): Promise<{ readonly fullStream: AsyncIterable<Chunk> }>
}

/** The chunks of a stream that a chat shows; there are others. */
type Chunk =
  | { readonly type: 'text-delta'; readonly payload: { readonly text: string } }
  | {
      readonly type: 'tool-call'
      readonly payload: {
        readonly toolCallId: string
        readonly toolName: string
        readonly args: unknown
      }
    }
  | {
      readonly type: 'tool-result'
      readonly payload: { readonly toolCallId: string; readonly result: unknown }
    }
  | { readonly type: 'error'; readonly payload: { readonly error: unknown } }

interface MemoryModule {
  readonly Memory: new () => object
}

interface PgModule {
  readonly PostgresStore: new (options: {
    readonly id: string
    readonly connectionString: string
  }) => object
}

const { port, modelUrl, database, load } = await peerOptions()
const { Agent } = (await load('@mastra/core/agent')) as AgentModule
const { createTool } = (await load('@mastra/core/tools')) as ToolsModule
const { Mastra } = (await load('@mastra/core')) as MastraModule
const { Memory } = (await load('@mastra/memory')) as MemoryModule
const { PostgresStore } = (await load('@mastra/pg')) as PgModule
const { z: schema } = (await load('zod')) as { z: typeof z }

const lookup = createTool({
  id: benchTool.name,
  description: benchTool.description,
  inputSchema: schema.object({ key: schema.string() }),
  execute: async () => benchTool.result,
})
const mastra = new Mastra({
  agents: {
    bench: new Agent({
      id: 'bench',
      name: 'bench',
      instructions: 'You are a helpful assistant.',
      model: { id: 'bench/bench', url: modelUrl, apiKey: 'bench' },
      tools: { [benchTool.name]: lookup },
      memory: new Memory(),
    }),
  },
  storage: new PostgresStore({ id: 'bench', connectionString: database }),
})
const agent = mastra.getAgent('bench')

servePeer(port, async (turn) => {
  const { fullStream } = await agent.stream(turn.message, {
    memory: { thread: turn.session, resource: 'bench' },
    abortSignal: turn.signal,
  })
  for await (const chunk of fullStream) {
    if (chunk.type === 'text-delta') await turn.text(chunk.payload.text)
    else if (chunk.type === 'tool-call')
      await turn.toolCall(chunk.payload.toolCallId, chunk.payload.toolName, chunk.payload.args)
    else if (chunk.type === 'tool-result')
      await turn.toolResult(chunk.payload.toolCallId, chunk.payload.result)
    else if (chunk.type === 'error') throw new Error(String(chunk.payload.error))
  }
})
