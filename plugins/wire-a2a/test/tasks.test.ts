import {
  Role,
  TaskState,
  type Message,
  type Part,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { defineTool } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { serving, type Binding } from './support/serving.ts'

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  readOnly: false,
  tier: 'confirm',
  input: z.object({ amount: z.number(), api_key: z.string().optional() }),
  execute: () => Promise.resolve({ status: 'success', output: 'paid' }),
})
const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
})
const data = (value: unknown): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
})
let sent = 0
const say = (
  parts: readonly Part[],
  more: Partial<Message> = {},
  configuration: Partial<NonNullable<SendMessageRequest['configuration']>> = {},
): SendMessageRequest => ({
  tenant: '',
  metadata: undefined,
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately: false,
    ...configuration,
  },
  message: {
    messageId: `m${(sent += 1)}-${crypto.randomUUID()}`,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
})
const send = async (client: Client, request: SendMessageRequest): Promise<Task> => {
  const result = await client.sendMessage(request)
  if (!('status' in result)) throw new Error('it is no task')
  return result
}
const textIn = (task: Task): string =>
  task.artifacts
    .flatMap(({ parts }) => parts)
    .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
    .join('')
const all = async (stream: AsyncGenerator<StreamResponse>): Promise<readonly StreamResponse[]> => {
  const events: StreamResponse[] = []
  for await (const event of stream) events.push(event)
  return events
}
const textOf = (events: readonly StreamResponse[]): string =>
  events
    .map(({ payload }) =>
      payload?.$case === 'artifactUpdate'
        ? (payload.value.artifact?.parts ?? [])
            .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
            .join('')
        : '',
    )
    .join('')
const lastState = (events: readonly StreamResponse[]): TaskState | undefined => {
  const { payload } = events.at(-1) ?? {}
  return payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined
}

test('the card says what the agent is, and more to those who are let in', async () => {
  const { url, client } = await serving({ script: reply.text('Hello.') })
  const open = await fetch(`${url}/.well-known/agent-card.json`)
  expect(await open.json()).toMatchObject({
    name: 'helper',
    version: '1.2.3',
    description: 'A helper.',
    supportedInterfaces: [
      { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/a2a/v1`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    skills: [{ id: 'greet', name: 'greet', description: 'Greets people.' }],
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  })
  for (const binding of ['JSONRPC', 'HTTP+JSON'] as const)
    expect((await (await client(binding)).getAgentCard()).skills[0]?.examples).toEqual([
      'when somebody says hello',
    ])
  const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  expect((await fetch(`${url}/a2a`, call)).status).toBe(401)
  expect((await fetch(`${url}/a2a/v1/extendedAgentCard`)).status).toBe(401)
})

describe.each<Binding>(['JSONRPC', 'HTTP+JSON'])('over %s', (binding) => {
  test('a message is a task, and its context goes on, also in the own chat', async () => {
    const { client: clientOf, post, model } = await serving({ script: reply.text(['Hel', 'lo.']) })
    const client = await clientOf(binding)
    const first = await send(client, say([text('one')]))
    expect(first.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(textIn(first)).toBe('Hello.')
    const second = await send(client, say([text('two')], { contextId: first.contextId }))
    expect(second.contextId).toBe(first.contextId)
    expect(second.id).not.toBe(first.id)
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('one')
    const own = await post('/chat/sync', { message: 'three', session_id: first.contextId })
    expect(own.status).toBe(200)
    const { tasks } = await client.listTasks({
      tenant: '',
      contextId: first.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      pageSize: 2,
      statusTimestampAfter: undefined,
      historyLength: undefined,
      includeArtifacts: true,
    })
    expect(tasks).toHaveLength(2)
    const got = await client.getTask({ tenant: '', id: first.id, historyLength: undefined })
    expect(textIn(got)).toBe('Hello.')
    expect(got.history[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'one' })
  })

  test('a name of the client for a context stays its own', async () => {
    const { client: clientOf, model } = await serving({ script: reply.text('Yes.') })
    const client = await clientOf(binding)
    const named = await send(client, say([text('one')], { contextId: 'thread 7' }))
    expect(named.contextId).toBe('thread 7')
    await send(client, say([text('two')], { contextId: 'thread 7' }))
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('one')
    await send(await clientOf(binding, 'bob'), say([text('three')], { contextId: 'thread 7' }))
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).not.toContain('one')
  })

  test('a stream: the task, its growing artifact, its end', async () => {
    const { client: clientOf } = await serving({ script: reply.text(['Hel', 'lo.']) })
    const client = await clientOf(binding)
    const events = await all(client.sendMessageStream(say([text('one')])))
    expect(events[0]?.payload?.$case).toBe('task')
    expect(textOf(events)).toBe('Hello.')
    expect(lastState(events)).toBe(TaskState.TASK_STATE_COMPLETED)
  })

  test('an approval is input that the next message of the task brings', async () => {
    const { client: clientOf } = await serving({
      tools: [pay],
      script: reply.toolsThenText(
        { name: 'pay', arguments: { amount: 5, api_key: 'hidden' } },
        'Done.',
      ),
    })
    const client = await clientOf(binding)
    const asked = await all(client.sendMessageStream(say([text('pay')])))
    expect(lastState(asked)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    expect(JSON.stringify(asked)).not.toContain('hidden')
    const { payload } = asked[0] ?? {}
    if (payload?.$case !== 'task') throw new Error('it begins with no task')
    const { id: taskId, contextId } = payload.value
    await expect(client.sendMessage(say([text('yes')], { taskId, contextId }))).rejects.toThrow(
      /data part/,
    )
    await expect(client.sendMessage(say([text('more')], { contextId }))).rejects.toThrow(
      /waits for input/,
    )
    const done = await send(client, say([data({ approved: true })], { taskId, contextId }))
    expect(done.id).toBe(taskId)
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(textIn(done)).toBe('Done.')
    await expect(client.sendMessage(say([text('more')], { taskId }))).rejects.toThrow(
      /waits for nothing/,
    )
  })

  test('a question is answered by a text; one raised here also in the own chat', async () => {
    const {
      client: clientOf,
      post,
      get,
    } = await serving({
      script: reply.toolsThenText({ name: 'ask_user', arguments: { question: 'Which?' } }, 'Good.'),
    })
    const client = await clientOf(binding)
    const asked = await send(client, say([text('ask')]))
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const { id: taskId, contextId } = asked
    const done = await send(client, say([text('that one')], { taskId }))
    expect(textIn(done)).toBe('Good.')

    const other = await send(client, say([text('ask')], { contextId }))
    const events = all(client.resubscribeTask({ tenant: '', id: other.id }))
    const { pending_input: asks } = (await (await get(`/sessions/${contextId}`)).json()) as {
      pending_input: readonly { id: string }[]
    }
    await post('/ask-user-response', {
      session_id: contextId,
      id: asks[0]?.id ?? '',
      response: 'this one',
    })
    expect(lastState(await events)).toBe(TaskState.TASK_STATE_COMPLETED)

    const own = await post('/chat/sync', { message: 'ask' })
    const { session_id: session } = (await own.json()) as { session_id: string }
    const { tasks } = await client.listTasks({
      tenant: '',
      contextId: session,
      status: TaskState.TASK_STATE_INPUT_REQUIRED,
      pageToken: '',
      pageSize: 10,
      statusTimestampAfter: undefined,
      historyLength: undefined,
      includeArtifacts: false,
    })
    const answered = await send(client, say([text('ours')], { taskId: tasks[0]?.id ?? '' }))
    expect(answered.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  })

  test('a task is left, followed by others, and stopped', async () => {
    const { client: clientOf } = await serving({
      script: reply.text(['One ', 'two'], { ending: { kind: 'stall', after: 2 } }),
    })
    const client = await clientOf(binding)
    const begun = await send(client, say([text('go')], {}, { returnImmediately: true }))
    expect(begun.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED)
    const events: StreamResponse[] = []
    for await (const event of client.resubscribeTask({ tenant: '', id: begun.id })) {
      events.push(event)
      if (textOf(events) === 'One two') break
    }
    const stopped = await client.cancelTask({ tenant: '', id: begun.id, metadata: undefined })
    expect(stopped.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    await expect(
      client.cancelTask({ tenant: '', id: begun.id, metadata: undefined }),
    ).rejects.toMatchObject({ name: expect.stringContaining('TaskNotCancelable') as string })
    await expect(all(client.resubscribeTask({ tenant: '', id: begun.id }))).rejects.toThrow(/over/)
  })

  test('a run that fails is a failed task', async () => {
    const { client: clientOf } = await serving({ script: reply.httpError(401) })
    const failed = await send(await clientOf(binding), say([text('go')]))
    expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(failed.status?.message?.parts).not.toHaveLength(0)
  })

  test("another tenant's task answers like an unknown one", async () => {
    const { client: clientOf } = await serving({ script: reply.text('Hello.') })
    const own = await send(await clientOf(binding), say([text('one')]))
    const foreign = await clientOf(binding, 'bob')
    const unknown = 'task_aaaaaaaaaaaaaaaaaaaa_sess_unknown'
    for (const work of [
      (id: string) => foreign.getTask({ tenant: '', id, historyLength: undefined }),
      (id: string) => foreign.cancelTask({ tenant: '', id, metadata: undefined }),
      (id: string) => all(foreign.resubscribeTask({ tenant: '', id })),
      (id: string) =>
        foreign.listTaskPushNotificationConfig({
          tenant: '',
          taskId: id,
          pageSize: 0,
          pageToken: '',
        }),
      (id: string) => foreign.sendMessage(say([text('x')], { taskId: id })),
    ]) {
      const of = (id: string) => work(id).then(String, (error: unknown) => String(error))
      expect(await of(own.id)).toBe(await of(unknown))
      await expect(work(own.id)).rejects.toMatchObject({
        name: expect.stringContaining('TaskNotFound') as string,
      })
    }
  })
})

test('files reach the model, by their bytes or as uploaded ones; a task shows where they are', async () => {
  const { client: clientOf, model } = await serving({ script: reply.text('Seen.') })
  const client = await clientOf()
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const raw = (bytes: Buffer, mediaType: string, filename = ''): Part => ({
    ...text(''),
    content: { $case: 'raw', value: bytes },
    mediaType,
    filename,
  })
  const told = await client.sendMessage(
    say([
      text('look'),
      raw(Buffer.from(png, 'base64'), 'image/png'),
      raw(Buffer.from('On Friday.'), 'text/plain', 'n.txt'),
    ]),
  )
  const asked = () => JSON.stringify(model.requests.at(-1)?.body.messages)
  expect(asked()).toContain(png)
  expect(asked()).toContain('On Friday.')
  const shown = JSON.stringify(told)
  const [, id = ''] = /\/assets\/([0-9a-f]{64})/.exec(shown) ?? []
  expect(id).toHaveLength(64)
  expect(shown).not.toContain(png)
  const again: Part = { ...text(''), content: { $case: 'url', value: `/assets/${id}` } }
  await client.sendMessage(say([again]))
  expect(asked()).toContain(png)
  const other = raw(Buffer.from(png, 'base64'), 'image/gif')
  await expect(client.sendMessage(say([other]))).rejects.toThrow(/image\/png/)
  const unread = raw(Buffer.from('%PDF-1.7\n%%EOF\n'), 'application/pdf')
  await expect(client.sendMessage(say([unread]))).rejects.toThrow(/cannot read/)
})

test('what cannot be read is refused by its name', async () => {
  const { client: clientOf, post } = await serving({ script: reply.text('Hello.') })
  const client = await clientOf()
  const url: Part = { ...text(''), content: { $case: 'url', value: 'https://example.com/a.png' } }
  await expect(client.sendMessage(say([url]))).rejects.toThrow(/nothing is fetched/)
  const call = async (body: object) =>
    (await (await post('/a2a', { ...body })).json()) as { error: { code: number } }
  expect((await call({ jsonrpc: '2.0', id: 1, method: 'Nothing' })).error.code).toBe(-32_601)
  expect((await call({ id: 1 })).error.code).toBe(-32_600)
  expect(
    (await call({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} })).error.code,
  ).toBe(-32_602)
})
