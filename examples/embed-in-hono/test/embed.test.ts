import { reply, startModelServer } from '@amodal/sdk/testing'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { makeApp } from '../src/app.ts'

it('answers inside a server of your own, and knows its users', async () => {
  const model = await startModelServer({
    script: ({ messages }) =>
      reply.text(
        `I have seen ${messages.filter(({ role }) => role === 'user').length} of your messages.`,
      ),
  })
  const { app, close } = await makeApp(
    {
      repoPath: fileURLToPath(new URL('../../ops-agent', import.meta.url)),
      provider: 'openai-compatible',
      providerConfig: { baseUrl: model.url, model: 'scripted' },
      apiKey: 'none',
    },
    (request) => request.headers.get('x-user') ?? undefined,
  )
  const ask = async (
    body: object,
    user?: string,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const headers = {
      'content-type': 'application/json',
      ...(user !== undefined && { 'x-user': user }),
    }
    const response = await app.request('/api/ask', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }

  const first = await ask({ message: 'Hello' }, 'ann')
  const id = /"session_id":"([^"]+)"/.exec(first.text)?.[1]
  expect(first.text).toContain('event: done')
  const second = await ask({ message: 'And again', sessionId: id }, 'ann')
  expect([...second.text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe(
    'I have seen 2 of your messages.',
  )

  expect(await ask({ message: 'Let me see', sessionId: id }, 'bob')).toMatchObject({ status: 404 })
  expect(await ask({ message: 'Hello', sessionId: 'sess_unknown' }, 'ann')).toMatchObject({
    status: 404,
  })
  expect(await ask({ message: '' }, 'ann')).toMatchObject({ status: 400 })
  expect(await ask({ message: 'Hello' })).toMatchObject({ status: 401 })
  await close()
  await model.close()
})
