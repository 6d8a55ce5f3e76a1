import { describe, expect, test } from 'vitest'
import { errorOf, framesOf, served } from './server.ts'

describe('answers', () => {
  const parked = async (
    server: Awaited<ReturnType<typeof served>>,
    message: string,
  ): Promise<{ id: string; done: Promise<Readonly<Record<string, unknown>>> }> => {
    const frames = framesOf(await server.post('/chat/stream', { message }))
    await expect.poll(() => [...server.agent.sessions.values()].some(({ ask }) => ask)).toBe(true)
    return {
      id: [...server.agent.sessions.keys()][0] ?? '',
      done: frames.then(
        (all) => all.find(({ data }) => String(data['content']).startsWith('You said'))?.data ?? {},
      ),
    }
  }

  test.each([
    [
      { approved: true, feedback: 'fine' },
      { approved: true, feedback: 'fine' },
    ],
    [{ approved: false }, { approved: false }],
    [{ action: 'approve' }, { approved: true }],
    [{ action: 'deny' }, { approved: false }],
    [{ response: 'yes' }, { approved: true }],
  ])('an approval is settled by %o', async (given, answer) => {
    await using server = await served()
    const { id, done } = await parked(server, 'approve')
    expect(
      await (
        await server.post('/ask-user-response', { session_id: id, id: 'ask_1', ...given })
      ).json(),
    ).toEqual({ ok: true, settled: ['ask_1'] })
    expect((await done)['content']).toBe(`You said ${JSON.stringify(answer)}.`)
  })

  test.each([
    [{ response: 'the red one' }],
    [{ answers: { q1: 'the red one' } }],
    [{ answers: ['the red one'] }],
  ])('a question is answered by %o', async (given) => {
    await using server = await served()
    const { id, done } = await parked(server, 'question')
    await server.post(`/chat/sessions/${id}/ask-user-response`, { ask_id: 'ask_1', ...given })
    expect((await done)['content']).toBe('You said {"response":"the red one"}.')
  })

  test('several at once', async () => {
    await using server = await served()
    const { id, done } = await parked(server, 'approve')
    expect(
      (
        await server.post('/ask-user-response', {
          sessionId: id,
          responses: [{ id: 'ask_1', approved: true }],
        })
      ).status,
    ).toBe(200)
    expect((await done)['content']).toContain('true')
  })

  test('an invalid answer is refused, and the question stays open', async () => {
    await using server = await served()
    const { id, done } = await parked(server, 'approve')
    const refused = async (body: unknown): Promise<unknown[]> => {
      const response = await server.post('/ask-user-response', body)
      return [response.status, (await errorOf(response)).code]
    }
    expect(await refused({ session_id: id, id: 'ask_1' })).toEqual([400, 'ANSWER_INVALID'])
    expect(await refused({ session_id: id, id: 'ask_1', action: 'maybe' })).toEqual([
      400,
      'ANSWER_INVALID',
    ])
    expect(await refused({ session_id: id, id: 'other', approved: true })).toEqual([
      404,
      'ASK_NOT_FOUND',
    ])
    expect(await refused({ session_id: id, approved: true })).toEqual([400, 'VALIDATION_ERROR'])
    expect(await refused({ id: 'ask_1', approved: true })).toEqual([400, 'VALIDATION_ERROR'])
    expect(await refused({ session_id: id, responses: [] })).toEqual([400, 'VALIDATION_ERROR'])
    await server.post('/ask-user-response', { session_id: id, id: 'ask_1', approved: true })
    expect((await done)['content']).toContain('true')
    expect(await refused({ session_id: id, id: 'ask_1', approved: true })).toEqual([
      404,
      'ASK_NOT_FOUND',
    ])
  })
})
