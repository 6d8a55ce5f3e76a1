import { describe, expect, test } from 'vitest'
import { errorOf, framesOf, served } from './server.ts'

describe('an interrupted stream', () => {
  test('resumes after the last event, without a gap', async () => {
    await using server = await served()
    const frames = await framesOf(await server.post('/chat/stream', { message: 'many 30' }))
    const session = String(frames[0]?.data['session_id'])
    for (const at of [0, 1, 15, frames.length - 2]) {
      const rest = await framesOf(
        await server.get(`/chat/stream/${session}`, {
          headers: { 'last-event-id': frames[at]?.id ?? '' },
        }),
      )
      expect(rest.map(({ id }) => id)).toEqual(frames.slice(at + 1).map(({ id }) => id))
    }
  })

  test('and follows a run in progress', async () => {
    await using server = await served()
    const response = await server.post('/chat/stream', { message: 'slow 30' })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('w5 ')) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
    const last = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
    const rest = await framesOf(
      await server.get(`/chat/stream/${[...server.agent.sessions.keys()][0]}`, {
        headers: { 'last-event-id': last },
      }),
    )
    const words = [...text.matchAll(/"content":"(w\d+) "/g)].map(([, word]) => word)
    expect([
      ...words,
      ...rest.flatMap(({ data }) => /w\d+/.exec(String(data['content']))?.[0] ?? []),
    ]).toEqual(Array.from({ length: 30 }, (_, n) => `w${n}`))
    expect(rest.at(-1)?.event).toBe('done')
  })

  test('is not begun for a HEAD', async () => {
    await using server = await served()
    const { session_id }: { session_id: string } = await (
      await server.post('/chat/sync', { message: 'approve' })
    ).json()
    expect(
      (await server.get(`/chat/stream/${session_id}`, { method: 'HEAD' })).headers.get(
        'content-type',
      ),
    ).toBe('text/event-stream')
    expect(server.agent.open).toBe(0)
  })

  test.each(['', 'x', '1.2.3', '1.2.3.4.5', '-1.2.3.4', '1.2.3.99999999999', '1.2.3.4,5'])(
    'a Last-Event-ID "%s" that is none',
    async (last) => {
      await using server = await served()
      const { session_id }: { session_id: string } = await (
        await server.post('/chat/sync', { message: 'x' })
      ).json()
      const response = await server.get(`/chat/stream/${session_id}`, {
        headers: { 'last-event-id': last },
      })
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'VALIDATION_ERROR'])
    },
  )
})
