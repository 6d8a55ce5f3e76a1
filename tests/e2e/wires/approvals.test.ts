/** An approval that is raised over each protocol is answered over each other one, once. */

import { Role, TaskState, type Message, type Part } from '@a2a-js/sdk'
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { HttpAgent } from '@ag-ui/client'
import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { script, serving, type Serving } from './serving.ts'

/** A protocol as its official client speaks it. */
interface Wire {
  /** Asks for what needs an approval; the session that waits for it. */
  raise(): Promise<string>
  /** Approves what the session waits for, as a client finds it that did not raise it. */
  approve(session: string): Promise<void>
}

let served: Serving
beforeAll(async () => {
  served = await serving(script)
})
afterAll(() => served.close())

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const json = async (response: Response): Promise<JsonObject> =>
  (await response.json()) as JsonObject // the server's own
const firstIn = (list: Json | undefined): JsonObject => {
  const first = isList(list) ? list[0] : undefined
  if (!isObject(first)) throw new Error('nothing is waited for')
  return first
}

const own: Wire = {
  async raise() {
    return textOf((await json(await served.post('/chat/sync', { message: 'pay' })))['session_id'])
  },
  async approve(session) {
    const { id } = firstIn((await json(await served.get(`/sessions/${session}`)))['pending_input'])
    const body = { session_id: session, id: textOf(id), approved: true }
    expect((await served.post('/ask-user-response', body)).status).toBe(200)
  },
}

const chatTransport = () =>
  new DefaultChatTransport({ api: `${served.url}/chat/ai-stream`, headers: served.headers })
type Chunks = Awaited<ReturnType<ReturnType<typeof chatTransport>['sendMessages']>>
async function lastMessage(stream: Chunks): Promise<UIMessage> {
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream })) last = message
  if (!last) throw new Error('there is no message')
  return last
}
const sendMessages = (chatId: string, messages: UIMessage[]): Promise<Chunks> =>
  chatTransport().sendMessages({
    chatId,
    messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  })

const aiSdk: Wire = {
  async raise() {
    const ask: UIMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'pay' }] }
    const { metadata } = await lastMessage(await sendMessages(crypto.randomUUID(), [ask]))
    return textOf(Object(metadata)['session_id'])
  },
  async approve(session) {
    const stream = await chatTransport().reconnectToStream({ chatId: session })
    if (!stream) throw new Error('there is no stream')
    const waiting = await lastMessage(stream)
    const parts = waiting.parts.map((part) =>
      'state' in part && part.state === 'approval-requested'
        ? {
            ...part,
            state: 'approval-responded' as const,
            approval: { id: part.approval.id, approved: true },
          }
        : part,
    )
    await lastMessage(await sendMessages(session, [{ ...waiting, parts }]))
  },
}

const openAiClient = (): OpenAI =>
  new OpenAI({
    baseURL: `${served.url}/v1`,
    apiKey: (served.headers['authorization'] ?? '').replace('Bearer ', ''),
    maxRetries: 0,
  })
const RESPOND: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'amodal_respond',
  description: 'Asks the person.',
  parameters: { type: 'object', properties: {} },
  strict: false,
}
const openAi: Wire = {
  async raise() {
    const response = await openAiClient().responses.create({
      model: 'wired',
      input: 'pay',
      tools: [RESPOND],
    })
    const { session_id } = Object(Object(response)['amodal'])
    return textOf(session_id)
  },
  async approve(session) {
    const client = openAiClient()
    const conversation = `conv_${session}`
    // a message behind the question is refused with the ids of the calls
    const refused = await client.responses
      .create({ model: 'wired', input: 'Go on', conversation, tools: [RESPOND] })
      .then(() => '', String)
    const call = /no tool output found for (\S+):/.exec(refused)?.[1] ?? ''
    expect(call, refused).not.toBe('')
    await client.responses.create({
      model: 'wired',
      conversation,
      tools: [RESPOND],
      input: [{ type: 'function_call_output', call_id: call, output: '{"approved": true}' }],
    })
  },
}

const httpAgent = (threadId: string): HttpAgent =>
  new HttpAgent({ url: `${served.url}/ag-ui`, headers: { ...served.headers }, threadId })
const agUi: Wire = {
  async raise() {
    const agent = httpAgent(crypto.randomUUID())
    agent.addMessage({ id: 'q', role: 'user', content: 'pay' })
    let session = ''
    await agent.runAgent(undefined, {
      onRunFinishedEvent: ({ event }) => {
        session = textOf(Object(event.result)['session_id'])
      },
    })
    return session
  },
  async approve(session) {
    const open = firstIn((await json(await served.get(`/sessions/${session}`)))['pending_input'])
    const payload = { approved: true }
    await httpAgent(session).runAgent({
      resume: [{ interruptId: textOf(open['id']), status: 'resolved', payload }],
    })
  },
}

async function mcpCall(name: string, args: JsonObject): Promise<JsonObject> {
  const client = new Client({ name: 'matrix', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), {
      requestInit: { headers: { ...served.headers } },
    }),
  )
  const { structuredContent } = await client.callTool({ name, arguments: args })
  await client.close()
  return (structuredContent ?? {}) as JsonObject // made of JSON
}
const mcp: Wire = {
  async raise() {
    return textOf((await mcpCall('ask', { message: 'pay' }))['session_id'])
  },
  async approve(session) {
    const { pending } = await mcpCall('read_session', { session_id: session })
    const { id } = firstIn(pending)
    const answer = { session_id: session, id: textOf(id), answer: { approved: true } }
    expect(await mcpCall('answer_question', answer)).toMatchObject({ status: 'complete' })
  },
}

const partOf = (content: Part['content']): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: content?.$case === 'data' ? 'application/json' : '',
})
const a2aMessage = (parts: Part[], more: Partial<Message>): Message => ({
  messageId: crypto.randomUUID(),
  contextId: '',
  taskId: '',
  role: Role.ROLE_USER,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
})
async function a2aClient() {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, ...served.headers } })
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      preferredTransports: ['JSONRPC'],
      cardResolver: new DefaultAgentCardResolver(),
    }),
  ).createFromUrl(served.url)
}
async function a2aSend(message: Message) {
  const task = await (
    await a2aClient()
  ).sendMessage({ tenant: '', metadata: undefined, configuration: undefined, message })
  if (!('status' in task)) throw new Error('it is no task')
  return task
}
const a2a: Wire = {
  async raise() {
    const task = await a2aSend(a2aMessage([partOf({ $case: 'text', value: 'pay' })], {}))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    return task.contextId
  },
  async approve(session) {
    const { tasks } = await (
      await a2aClient()
    ).listTasks({
      tenant: '',
      contextId: session,
      status: TaskState.TASK_STATE_INPUT_REQUIRED,
      pageSize: 1,
      pageToken: '',
      historyLength: undefined,
      statusTimestampAfter: undefined,
      includeArtifacts: false,
    })
    const answer = partOf({ $case: 'data', value: { approved: true } })
    const task = await a2aSend(
      a2aMessage([answer], { taskId: tasks[0]?.id ?? '', contextId: session }),
    )
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  },
}

const WIRES: Readonly<Record<string, Wire>> = {
  own,
  'AI SDK': aiSdk,
  OpenAI: openAi,
  'AG-UI': agUi,
  MCP: mcp,
  A2A: a2a,
}

describe.each(Object.entries(WIRES))('an approval raised over %s', (_raised, raising) => {
  test.each(Object.entries(WIRES))('is answered over %s', async (_answered, answering) => {
    const before = served.paid.length
    const session = await raising.raise()
    expect(session).not.toBe('')
    expect(served.paid).toHaveLength(before)
    await answering.approve(session)
    await expect.poll(() => served.paid.length).toBe(before + 1)
    await expect
      .poll(async () => JSON.stringify(await json(await served.get(`/sessions/${session}`))))
      .toContain('All done.')
  })
})
