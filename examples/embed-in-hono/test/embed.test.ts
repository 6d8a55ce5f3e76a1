import { reply, startModelServer } from '@amodal/sdk/testing'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { makeApp } from '../src/app.ts'

it('answers inside a server of your own, and remembers the session', async () => {
  const model = await startModelServer({ script: ({ messages }) => reply.text(`I have seen ${messages.filter(({ role }) => role === 'user').length} of your messages.`) })
  const { app, close } = await makeApp({
    repoPath: fileURLToPath(new URL('../../ops-agent', import.meta.url)),
    provider: 'openai-compatible', providerConfig: { baseUrl: model.url, model: 'scripted' }, apiKey: 'none',
  })
  const ask = async (body: object): Promise<string> => (await app.request('/api/ask', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).text()
  const first = await ask({ message: 'Hello', userId: 'u1' })
  const id = /"session_id":"([^"]+)"/.exec(first)?.[1]
  expect(first).toContain('event: done')
  const second = await ask({ message: 'And again', userId: 'u1', sessionId: id })
  expect([...second.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe('I have seen 2 of your messages.')
  expect((await app.request('/api/ask', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message: 'x', sessionId: 'sess_unknown' }) })).status).toBe(404)
  await close()
  await model.close()
})
