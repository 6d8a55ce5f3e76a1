import { expect, test } from 'vitest'
import { framesOf, served } from './server.ts'

test('a message is answered by a stream from init to done', async () => {
  await using server = await served()
  const response = await server.post('/chat/stream', { message: 'hello there' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const frames = await framesOf(response)
  expect(frames.map(({ event }) => event)).toEqual(['init', 'text_delta', 'text_delta', 'done'])
  expect(frames.map(({ event, data }) => event === data['type'])).not.toContain(false)
})
