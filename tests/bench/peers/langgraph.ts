/**
 * LangGraph: the graph of a model and its tools (`StateGraph` with `ToolNode`), whose checkpoints
 * `PostgresSaver` writes, with its default durability. The thread holds all messages.
 */

import type { z } from 'zod'

import { benchTool } from '../vocabulary.ts'
import { peerOptions, servePeer } from './serve.ts'

interface State {
  readonly messages: readonly Message[]
}

/** A message, or a piece of one. */
interface Message {
  readonly content: unknown
  /** `ai` for the model, `tool` for a result. */
  getType(): string
  readonly tool_call_chunks?: readonly ToolCallChunk[]
  readonly tool_call_id?: string
}

interface ToolCallChunk {
  readonly id?: string
  readonly name?: string
  readonly args?: string
}

interface Graph {
  addNode(name: string, node: object): Graph
  addEdge(from: string, to: string): Graph
  addConditionalEdges(from: string, choose: unknown): Graph
  compile(options: { readonly checkpointer: object }): {
    stream(
      input: { readonly messages: readonly object[] },
      options: {
        readonly configurable: { readonly thread_id: string }
        readonly streamMode: 'messages'
        readonly signal: AbortSignal
      },
    ): Promise<AsyncIterable<readonly [Message, unknown]>>
  }
}

interface GraphModule {
  readonly StateGraph: new (annotation: unknown) => Graph
  readonly MessagesAnnotation: unknown
  readonly START: string
}

interface PrebuiltModule {
  readonly ToolNode: new (tools: readonly object[]) => object
  readonly toolsCondition: unknown
}

interface ToolsModule {
  tool(
    execute: () => Promise<object>,
    options: { readonly name: string; readonly description: string; readonly schema: z.ZodType },
  ): object
}

interface OpenAIModule {
  readonly ChatOpenAI: new (options: {
    readonly model: string
    readonly apiKey: string
    readonly streaming: boolean
    readonly configuration: { readonly baseURL: string }
  }) => {
    bindTools(tools: readonly object[]): {
      invoke(messages: readonly object[]): Promise<Message>
    }
  }
}

interface CheckpointModule {
  readonly PostgresSaver: {
    fromConnString(url: string): { setup(): Promise<void> }
  }
}

const { port, modelUrl, database, load } = await peerOptions()
const { StateGraph, MessagesAnnotation, START } = (await load(
  '@langchain/langgraph',
)) as GraphModule
const { ToolNode, toolsCondition } = (await load('@langchain/langgraph/prebuilt')) as PrebuiltModule
const { tool } = (await load('@langchain/core/tools')) as ToolsModule
const { ChatOpenAI } = (await load('@langchain/openai')) as OpenAIModule
const { PostgresSaver } = (await load(
  '@langchain/langgraph-checkpoint-postgres',
)) as CheckpointModule
const { z: schema } = (await load('zod')) as { z: typeof z }

const tools = [
  tool(async () => benchTool.result, {
    name: benchTool.name,
    description: benchTool.description,
    schema: schema.object({ key: schema.string() }),
  }),
]
const model = new ChatOpenAI({
  model: 'bench',
  apiKey: 'bench',
  streaming: true,
  configuration: { baseURL: modelUrl },
}).bindTools(tools)
const instructions = { role: 'system', content: 'You are a helpful assistant.' }
const checkpointer = PostgresSaver.fromConnString(database)
await checkpointer.setup()

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }: State) => ({
    messages: [await model.invoke([instructions, ...messages])],
  }))
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition)
  .addEdge('tools', 'model')
  .compile({ checkpointer })

servePeer(port, async (turn) => {
  const stream = await graph.stream(
    { messages: [{ role: 'user', content: turn.message }] },
    {
      configurable: { thread_id: turn.session },
      streamMode: 'messages',
      signal: turn.signal,
    },
  )
  for await (const [message] of stream) {
    if (message.getType() === 'tool')
      await turn.toolResult(message.tool_call_id ?? '', message.content)
    else if (typeof message.content === 'string' && message.content !== '')
      await turn.text(message.content)
    for (const { id, name, args } of message.tool_call_chunks ?? [])
      if (id !== undefined && name !== undefined) await turn.toolCall(id, name, args)
  }
})
