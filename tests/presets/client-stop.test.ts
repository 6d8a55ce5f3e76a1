import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { LocalToken } from '@amodal/sdk'
import { Conversation, createClient, type ClientEvent } from '@amodal/sdk/client'
import { contentText, reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'

/** ms between two parts of a reply: a run that is not stopped outlasts the test. */
const PACE = 60_000

let model: ModelServer
let place: Awaited<ReturnType<typeof agentFolder>>
let close: () => Promise<void>
let open: () => Conversation

beforeAll(async () => {
  model = await startModelServer({
    script: ({ messages }) =>
      // a message whose run was stopped before it had a reply stands before this one
      contentText(messages.findLast(({ role }) => role === 'user')).endsWith('Hello')
        ? reply.text('Hello.')
        : reply.text(['One ', 'two.'], { pace: PACE }),
  })
  place = await agentFolder({ 'amodal.json': '{ "name": "host" }' })
  const started = await startFolder({
    dir: place.dir,
    env: { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' },
    port: 0,
    inMemory: true,
    logLevel: 'none',
    without: ['repo-watch'],
  })
  if (!started.ok) throw new Error(explainStart(started.error))
  close = () => started.value.close()
  const { scope } = started.value.kernel
  const { host, port } = scope.get(HttpApp).address() ?? {}
  const credential = scope.find(LocalToken)?.text()
  const client = createClient({
    url: `http://${host ?? ''}:${port ?? 0}`,
    ...(credential !== undefined && { credential }),
  })
  open = () => new Conversation(client)
})
afterAll(async () => {
  await close()
  await Promise.all([model.close(), place.remove()])
})

/** The end of the next run. */
function nextEnd(conversation: Conversation): Promise<ClientEvent> {
  const { promise, resolve } = Promise.withResolvers<ClientEvent>()
  const leave = conversation.observe((event) => {
    if (event.type !== 'done') return
    leave()
    resolve(event)
  })
  return promise
}

/** Sends a message and stops at once. */
async function stopped(conversation: Conversation): Promise<ClientEvent> {
  const end = nextEnd(conversation)
  conversation.send('Count slowly')
  await conversation.cancel()
  return end
}

test('a stop before a new session has its id ends the run once it has one', async () => {
  const conversation = open()
  expect(await stopped(conversation)).toMatchObject({ reason: 'user_abort' })
  expect(conversation.session).toBeDefined()
  conversation.close()
})

test('a stop ends the run of its own message, and not the next one', async () => {
  const conversation = open()
  await stopped(conversation)
  const end = nextEnd(conversation)
  conversation.send('Hello')
  expect(await end).toMatchObject({ reason: 'model_stop' })
  conversation.close()
})
