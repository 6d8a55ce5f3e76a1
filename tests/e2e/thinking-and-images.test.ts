import { endsWithToolResult, reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn } from '../security/support/door.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const SIGNATURE = 'c2lnbmVkLWJ5LXRoZS1wcm92aWRlcg=='

test('an image and a signed thought outlive a restart, go back to their provider, and are shown to nobody else', async () => {
  const call = reply.toolCalls(
    { name: 'no_such_tool', arguments: {} },
    { thought: { text: 'A pixel?', signature: SIGNATURE } },
  )
  const model = await startModelServer({
    script: (request) => (endsWithToolResult(request) ? reply.text('Red.') : call),
  })
  onTestFinished(() => model.close())
  await using door = await openDoor({
    script: reply.silence(),
    env: { MY_KEY: 'sk-my-own-0123456789' },
    manifest: {
      models: {
        main: {
          provider: 'anthropic',
          model: 'claude-sonnet-4-20250514',
          baseUrl: model.url,
          credentials: { api_key: 'env:MY_KEY' },
        },
      },
    },
  })
  const events = await door.stream('What is this?', {
    images: [{ mimeType: 'image/png', data: PNG }],
  })
  const session = textIn(events[0], 'session_id')
  expect(model.requests[0]?.headers['x-api-key']).toBe('sk-my-own-0123456789')

  await door.restart()
  expect(await door.say('And now?', { session_id: session })).toMatchObject({
    status: 200,
    body: { response: 'Red.' },
  })
  const { messages } = JSON.parse(JSON.stringify(model.requests.at(-1)?.sent)) as {
    messages: readonly { role: string; content: readonly object[] }[]
  } // as the server has read it
  expect(messages[0]?.content).toContainEqual(
    expect.objectContaining({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG },
    }),
  )
  expect(messages[1]?.content[0]).toEqual({
    type: 'thinking',
    thinking: 'A pixel?',
    signature: SIGNATURE,
  })
  expect(JSON.stringify(events) + (await door.get(`/session/${session}`)).text).not.toContain(
    SIGNATURE,
  )
})
