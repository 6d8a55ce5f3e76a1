import { Role, TaskState, type SendMessageRequest } from '@a2a-js/sdk'
import { JobQueue } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { PUSH_QUEUE } from '../src/push-notifications.ts'
import { serving, type Binding } from './support/serving.ts'

interface Delivery {
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** A receiver that answers with these statuses, the last one again and again. */
async function receiver(...statuses: readonly number[]) {
  const heard: Delivery[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const status = statuses[heard.length] ?? statuses.at(-1) ?? 204
      heard.push({ headers: request.headers, text })
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('it does not listen')
  return { origin: `http://127.0.0.1:${address.port}`, heard }
}
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
const env = { A2A_SECRET: SECRET, SESSION_KEY: 'unused' }
const config = (origin: string) => ({
  push: { secret: 'env:A2A_SECRET', privateOrigins: [origin] },
})
const configOf = (url: string) => ({
  tenant: '',
  id: '',
  taskId: '',
  url,
  token: 'tok',
  authentication: { scheme: 'Bearer', credentials: 'cred' },
})
const say = (url: string, words = 'go'): SendMessageRequest => ({
  tenant: '',
  metadata: undefined,
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: configOf(url),
    historyLength: undefined,
    returnImmediately: false,
  },
  message: {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      {
        content: { $case: 'text', value: words },
        metadata: undefined,
        filename: '',
        mediaType: '',
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
})

test('what a task waits for and its end are told, signed, with the token of the receiver', async () => {
  const target = await receiver(200)
  const { client: clientOf, get } = await serving({
    script: reply.toolsThenText({ name: 'ask_user', arguments: { question: 'Which?' } }, 'Good.'),
    config: config(target.origin),
    env,
  })
  const client = await clientOf()
  const task = await client.sendMessage(say(`${target.origin}/hook`))
  if (!('status' in task)) throw new Error('it is no task')
  await until(() => target.heard.length > 0)
  const [first] = target.heard
  expect(JSON.parse(first?.text ?? '')).toMatchObject({
    task: { id: task.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
  })
  expect(first?.headers).toMatchObject({
    'x-a2a-notification-token': 'tok',
    authorization: 'Bearer cred',
  })
  const { 'webhook-id': id, 'webhook-timestamp': at } = first?.headers ?? {}
  const expected = createHmac('sha256', Buffer.from(SECRET.slice('whsec_'.length), 'base64'))
    .update([id, at, first?.text].join('.'))
    .digest('base64')
  expect(first?.headers['webhook-signature']).toBe(`v1,${expected}`)
  const answer = say(target.origin, 'this one')
  await client.sendMessage({
    ...answer,
    configuration: undefined,
    message: answer.message && { ...answer.message, taskId: task.id },
  })
  await until(() => target.heard.some(({ text }) => text.includes('TASK_STATE_COMPLETED')))
  // Credentials are shown to nobody.
  const session = await (await get(`/sessions/${task.contextId}`)).text()
  expect(session).not.toContain('cred"')
  expect(session).not.toContain(target.origin)
})

test.each<Binding>(['JSONRPC', 'HTTP+JSON'])(
  'receivers are kept by task, over %s',
  async (binding) => {
    const target = await receiver(503, 200)
    const { client: clientOf } = await serving({
      script: ({ messages }) =>
        JSON.stringify(messages).includes('first')
          ? reply.text('Done.')
          : reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which?' } }),
      config: config(target.origin),
      env,
    })
    const client = await clientOf(binding)
    const asked = say(target.origin)
    const task = await client.sendMessage({ ...asked, configuration: undefined })
    if (!('status' in task)) throw new Error('it is no task')
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const made = await client.createTaskPushNotificationConfig({
      ...configOf(`${target.origin}/one`),
      taskId: task.id,
    })
    await client.createTaskPushNotificationConfig({
      ...configOf(target.origin),
      taskId: task.id,
      id: 'two',
    })
    const list = () =>
      client.listTaskPushNotificationConfig({
        tenant: '',
        taskId: task.id,
        pageSize: 0,
        pageToken: '',
      })
    expect((await list()).configs.map(({ id }) => id)).toEqual([made.id, 'two'])
    const named = { tenant: '', taskId: task.id, id: made.id }
    const got = await client.getTaskPushNotificationConfig(named)
    expect(got).toMatchObject({ url: `${target.origin}/one`, token: '' })
    await client.deleteTaskPushNotificationConfig({ ...named, id: 'two' })
    expect((await list()).configs.map(({ id }) => id)).toEqual([made.id])
    const answer = say(target.origin, 'first')
    await client.sendMessage({
      ...answer,
      configuration: undefined,
      message: answer.message && { ...answer.message, taskId: task.id },
    })
    // Told again until it is heard, under the same id.
    await until(() => target.heard.length === 2)
    const [one, two] = target.heard
    expect(one?.headers['webhook-id']).toBe(two?.headers['webhook-id'])
    expect(JSON.parse(two?.text ?? '')).toMatchObject({
      task: { id: task.id, status: { state: 'TASK_STATE_COMPLETED' } },
    })
  },
)

test('a private address that the configuration does not name is not called', async () => {
  const target = await receiver(200)
  const { client: clientOf, kernel } = await serving({
    script: reply.text('Done.'),
    config: config('http://127.0.0.1:1'),
    env,
  })
  await (await clientOf()).sendMessage(say(target.origin))
  const queue = kernel.scope.get(JobQueue)
  await until(async () => {
    const dead = await queue.dead(PUSH_QUEUE, { limit: 10 }, AbortSignal.timeout(10_000))
    return dead.ok && dead.value.jobs.length > 0
  })
  expect(target.heard).toEqual([])
})
